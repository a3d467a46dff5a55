"""The whole output of runs on the fake backend: its clock is virtual, so it never changes."""

import re
import sys
import unittest
from pathlib import Path

from support import main, run, tool

GOLDEN = Path(__file__).parent / "golden"
FAKE = ["--backend", "fake", "--fake", "alpha=5us,bw=10,seed=7"]
CASES = {
    "all_reduce": ["all_reduce_perf", "-b", "8", "-e", "64K", "-f", "8", "-t", "4"],
    "all_gather_in_doubles": ["all_gather_perf", "-b", "1K", "-e", "4K", "-f", "2", "-t", "3",
                              "-d", "double"],
    "reduce_all_roots": ["reduce_perf", "-b", "1K", "-e", "1K", "-t", "2", "-r", "all",
                         "-o", "max"],
    "alltoall_without_check": ["alltoall_perf", "-b", "1K", "-e", "4K", "-f", "2", "-t", "2",
                               "-c", "0"],
    "iterations_and_cputime": ["broadcast_perf", "-b", "1K", "-e", "2K", "-f", "2", "-t", "2",
                               "-I", "1", "-C", "1", "-K", "2"],
    "hypercube": ["hypercube_perf", "-b", "1K", "-e", "1K", "-t", "4"],
}
# What differs between machines and builds: version, process, host.
CHANGING = [(r"linerate \d+\.\d+\.\d+.*", "linerate VERSION"),
            (r"Pid +\d+ on +\S+", "Pid PID on HOST")]


def steady(text: str) -> str:
    for pattern, word in CHANGING:
        text = re.sub(pattern, word, text)
    return text


class Golden(unittest.TestCase):
    maxDiff = None

    def test_every_case_prints_what_it_always_printed(self):
        for name, (program, *words) in CASES.items():
            with self.subTest(case=name):
                done = run([tool(program), *words, *FAKE])
                self.assertEqual(done.returncode, 0, done.stderr)
                expected = (GOLDEN / f"{name}.txt").read_text()
                self.assertEqual(steady(done.stdout), expected)

    def test_two_runs_are_equal_to_the_last_digit(self):
        words = [tool("all_reduce_perf"), "-b", "8", "-e", "4K", "-f", "2", "-t", "3", *FAKE[:2],
                 "--fake", "alpha=5us,bw=10,noise=5%,seed=3"]
        self.assertEqual(steady(run(words).stdout), steady(run(words).stdout))


def write_golden_files() -> None:
    """After a wanted change: python3 golden_test.py --write, then read the difference."""
    GOLDEN.mkdir(exist_ok=True)
    for name, (program, *words) in CASES.items():
        (GOLDEN / f"{name}.txt").write_text(steady(run([tool(program), *words, *FAKE]).stdout))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write_golden_files()
    else:
        main()
