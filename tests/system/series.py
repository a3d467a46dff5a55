"""Series of runs on the fake backend, for tests of what compares and repeats them."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from support import json_lines, run, tool

FAKE = ["-g", "2", "-b", "1K", "-e", "4K", "-f", "4", "--backend", "fake", "--expect", "off"]


def fake(bandwidth: str, seed: int = 1) -> list[str]:
    """Options of a run whose times depend on the seed alone."""
    return FAKE + ["--fake", f"bw={bandwidth},alpha=0.1us,noise=1%,seed={seed}"]


def shell(bandwidth: str) -> str:
    """A command of another seed each time, so that its runs vary."""
    seed = "$(( $(date +%s%N | cut -c8-18 | sed 's/^0*//') ))"
    spec = f"bw={bandwidth},alpha=0.1us,noise=1%,seed={seed}"
    return f'{tool("all_reduce_perf")} {" ".join(FAKE)} --fake {spec}'


def compare(*words: str, **extra: str) -> subprocess.CompletedProcess:
    return run([tool("linerate"), "compare", *words], **extra)


def sides_by_time(kept: Path) -> list[str]:
    """Of each result that compare --keep kept, in the order of time: whose it is, a or b."""
    return [side for _, side in sorted(
        (line["timestamp"], side) for side in "ab"
        for line in json_lines(kept / f"{side}.jsonl") if line["kind"] == "result")]


def changes(sides: list[str]) -> int:
    """How often a result of the other side follows."""
    return sum(one != other for one, other in zip(sides, sides[1:], strict=False))


class SeriesTest(unittest.TestCase):
    """A folder for each test, and files of runs in it."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def series(self, name: str, bandwidth: str, first_seed: int, runs: int = 6) -> str:
        path = self.folder / name
        for seed in range(first_seed, first_seed + runs):
            done = run([tool("all_reduce_perf"), *fake(bandwidth, seed), "--jsonl", str(path)])
            self.assertEqual(done.returncode, 0, done.stderr)
        return str(path)
