"""Rank 1 of a running tool gets a signal: the run must end with exit code 4 and name the rank.

lost_rank.py STOP|KILL PROGRAM OPTION...: PROGRAM must go on for ever. Exit code 1 if it ends in
another way, takes too long after the signal, or leaves a process behind.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

START_LIMIT_S = 30
END_LIMIT_S = 20  # from the signal, for a -T of 8: what hangs is ended 3 s later
LOST_RANK = 4  # the exit code
ROWS = 2  # of the table, before the signal: the ranks are in their timed calls


def rank_pids(table: str) -> list[int]:
    return [int(pid) for pid in re.findall(r"#  Rank +\d+ Group +\d+ Pid +(\d+)", table)]


def has_begun(table: str) -> bool:
    return len(re.findall(r"^ +\d+ +\d+ .*\d\n", table, re.MULTILINE)) >= ROWS


def wait_for_begin(job: subprocess.Popen, output: Path) -> list[int]:
    """The pids of the ranks, once they are at work; none if they do not come so far."""
    end = time.monotonic() + START_LIMIT_S
    while time.monotonic() < end and job.poll() is None:
        if has_begun(output.read_text()):
            return rank_pids(output.read_text())
        time.sleep(0.1)
    return []


def is_at_work(pid: int, command: list[str]) -> bool:
    """Whether the process still runs the program; one that has ended has no file."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/exe").resolve() == Path(command[0]).resolve()
    return False


def left_behind(pids: list[int], command: list[str]) -> list[int]:
    """Those that have not ended after 3 s."""
    end = time.monotonic() + 3
    while True:
        alive = [pid for pid in pids if is_at_work(pid, command)]
        if not alive or time.monotonic() > end:
            return alive
        time.sleep(0.1)


def faults(job: subprocess.Popen, pids: list[int], output: Path) -> list[str]:
    """What is wrong with how the job ended; an empty list if nothing is."""
    began = time.monotonic()
    try:
        code = job.wait(END_LIMIT_S)
    except subprocess.TimeoutExpired:
        return [f"it has not ended {END_LIMIT_S} s after the signal"]
    print(f"ended {time.monotonic() - began:.1f} s after the signal with exit code {code}")
    found = []
    if code != LOST_RANK:
        found.append(f"exit code {code}, {LOST_RANK} expected")
    if not re.search(r"^linerate: .*rank 1\b", output.read_text(), re.MULTILINE):
        found.append("rank 1 is not named")
    if alive := left_behind(pids, job.args):
        found.append(f"processes are left: {alive}")
    return found


def lose_a_rank(which: str, command: list[str], output: Path) -> list[str]:
    with output.open("w") as file:
        job = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT,
                               stdin=subprocess.DEVNULL)
    pids: list[int] = []
    try:
        pids = wait_for_begin(job, output)
        if len(pids) < 2:
            return [f"the run ended, or showed no {ROWS} rows within {START_LIMIT_S} s"]
        print(f"SIG{which} to rank 1, pid {pids[1]}", flush=True)
        os.kill(pids[1], getattr(signal, f"SIG{which}"))
        return faults(job, pids, output)
    finally:
        for pid in filter(lambda pid: is_at_work(pid, command), pids):
            os.kill(pid, signal.SIGKILL)
        job.kill()
        job.wait()


def main() -> int:
    which, *command = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        found = lose_a_rank(which, command, output)
        print(output.read_text()[-3000:])
    for fault in found:
        print(f"lost_rank.py: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
