"""A running tool whose ranks can be found, killed and waited for."""

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from support import environment, rows

LONG_SWEEP = ["-b", "1K", "-e", "4M", "-f", "2", "-n", "200", "-N", "0"]  # without end


def children(pid: int) -> list[int]:
    return [int(c) for c in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def rank_pids(stdout_path: Path) -> dict[int, int]:
    found = re.findall(r"#  Rank +(\d+) Group +\d+ Pid +(\d+)", stdout_path.read_text())
    return {int(rank): int(pid) for rank, pid in found}


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def wait_for_end(pid: int, limit_s: float) -> None:
    end = time.monotonic() + limit_s
    while Path(f"/proc/{pid}/exe").exists():
        if time.monotonic() > end:
            raise AssertionError(f"process {pid} has not ended after {limit_s} s")
        time.sleep(0.05)


def wait_until_caught(process: subprocess.Popen, number: int, limit_s: float = 30) -> None:
    """Until the program catches the signal, which ends it as it ends any program before."""
    end = time.monotonic() + limit_s
    mask = 0
    while not mask >> (number - 1) & 1:
        if time.monotonic() > end or process.poll() is not None:
            raise AssertionError(f"process {process.pid} does not catch signal {number}")
        status = Path(f"/proc/{process.pid}/status").read_text()
        mask = int(re.search(r"^SigCgt:\s*(\w+)", status, re.M)[1], 16)
        time.sleep(0.01)


class Job:
    """A running tool with its output in files."""

    def __init__(self, folder: Path, command: list[str]):
        self.jsonl = folder / "run.jsonl"
        self.out, self.err = folder / "out.txt", folder / "err.txt"
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen([*command, "--jsonl", str(self.jsonl)], stdout=out,
                                            stderr=err, env=environment(),
                                            stdin=subprocess.DEVNULL)

    def wait_for_rows(self, count: int, limit_s: float = 30) -> None:
        end = time.monotonic() + limit_s
        while len(rows(self.out.read_text())) < count:
            if time.monotonic() > end or self.process.poll() is not None:
                self.fail(f"no rows: {self.out.read_text()} {self.err.read_text()}")
            time.sleep(0.01)

    def wait_for_heading(self, limit_s: float = 30) -> None:
        end = time.monotonic() + limit_s
        while "#  Rank" not in self.out.read_text():
            if time.monotonic() > end or self.process.poll() is not None:
                self.fail(f"no heading: {self.err.read_text()}")
            time.sleep(0.01)

    def wait_until_still(self, silence_s: float, limit_s: float = 60) -> None:
        """Until nothing more was printed for so long."""
        last, since = "", time.monotonic()
        end = since + limit_s
        while not last or time.monotonic() - since < silence_s:
            if time.monotonic() > end or self.process.poll() is not None:
                self.fail(f"never still: {last} {self.err.read_text()}")
            if (now := self.out.read_text()) != last:
                last, since = now, time.monotonic()
            time.sleep(0.05)

    def wait_for_error(self, fragment: str, limit_s: float = 10) -> str:
        """Everything on stderr, once it holds `fragment`: launchers pass it on with delay."""
        end = time.monotonic() + limit_s
        while fragment not in (errors := self.err.read_text()):
            if time.monotonic() > end:
                self.fail(f"no '{fragment}' in {errors}")
            time.sleep(0.05)
        return errors

    def fail(self, why: str) -> NoReturn:
        """A test that gives up leaves nothing running beside those after it."""
        self.stop()
        raise AssertionError(why)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self, limit_s: float) -> tuple[int, float]:
        start = time.monotonic()
        try:
            code = self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self.stop()
            raise
        return code, time.monotonic() - start
