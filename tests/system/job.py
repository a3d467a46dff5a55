"""A running tool whose ranks can be found, killed and waited for."""

import re
import subprocess
import time
from pathlib import Path

from support import environment, rows

LONG_SWEEP = ["-b", "1K", "-e", "4M", "-f", "2", "-n", "200", "-N", "0"]  # without end


def children(pid: int) -> list[int]:
    return [int(c) for c in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def rank_pids(stdout_path: Path) -> dict[int, int]:
    found = re.findall(r"#  Rank +(\d+) Group +\d+ Pid +(\d+)", stdout_path.read_text())
    return {int(rank): int(pid) for rank, pid in found}


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
                raise AssertionError(f"no rows: {self.out.read_text()} {self.err.read_text()}")
            time.sleep(0.01)

    def end(self, limit_s: float) -> tuple[int, float]:
        start = time.monotonic()
        try:
            code = self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return code, time.monotonic() - start
