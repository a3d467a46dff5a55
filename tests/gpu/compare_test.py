"""compare.py marks the sizes at which two programs differ, and fails where one of them fails."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import compare
from judged_times import judged_times, judgement

MIB = 1 << 20
# Prints a row for each size with its time; notes who it is, and what it was given.
PROGRAM = """\
#!{python}
import pathlib, sys
with pathlib.Path(__file__).with_name("calls").open("a") as calls:
    print({name!r}, *sys.argv[1:], file=calls)
for size, time_us in {times_us}.items():
    print(f"{{size}} {{size // 4}} float sum -1 {{time_us}} 1.0 1.0 0 {{time_us}} 1.0 1.0 {wrong}")
sys.exit({code})
"""


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def program(self, name: str, times_us: dict[int, float], code: int = 0,
                wrong: str = "N/A") -> str:
        path = self.folder / name
        path.write_text(PROGRAM.format(python=sys.executable, name=name, times_us=times_us,
                                       code=code, wrong=wrong))
        path.chmod(0o755)
        return str(path)

    def compare(self, theirs: str, ours: str, *words: str) -> tuple[int, str]:
        argv = ["compare.py", *words, "--seconds", "0", "--jsonl", str(self.folder / "jsonl"),
                theirs, ours, "--", "-b", "8"]
        printed = io.StringIO()
        with mock.patch.object(sys, "argv", argv), contextlib.redirect_stdout(printed):
            return compare.main(), printed.getvalue()

    def test_times_that_are_alike_from_4_mib_on_are_inside(self):
        theirs = self.program("theirs", {8: 4.0, 4 * MIB: 10.0, 8 * MIB: 20.0})
        ours = self.program("ours", {8: 9.0, 4 * MIB: 10.09, 8 * MIB: 19.81})
        code, printed = self.compare(theirs, ours)
        self.assertEqual(code, 0, printed)
        self.assertIn("0 of 2 sizes outside", printed)

    def test_a_size_that_differs_is_marked_and_fails(self):
        theirs = self.program("theirs", {4 * MIB: 10.0, 8 * MIB: 20.0})
        ours = self.program("ours", {4 * MIB: 10.0, 8 * MIB: 20.3})
        code, printed = self.compare(theirs, ours)
        self.assertEqual(code, 1, printed)
        self.assertIn("1 of 2 sizes outside 0.99 to 1.01, from 4 MiB on: 8388608 (1.0150)", printed)
        self.assertRegex(printed, r"(?m)^ *8388608 .* <- outside$")
        lines = [json.loads(line) for line in (self.folder / "jsonl").read_text().splitlines()]
        self.assertEqual([line["judgement"] for line in lines], ["inside", "outside"])
        self.assertAlmostEqual(lines[1]["out_of_place"]["ratio"], 1.015)
        self.assertIn("ours --backend nccl", lines[1]["ours"])

    def test_they_take_turns_and_linerate_alone_gets_options_of_its_own(self):
        times_us = {4 * MIB: 10.0}
        self.compare(self.program("theirs", times_us), self.program("ours", times_us))
        calls = (self.folder / "calls").read_text().splitlines()
        ours = f"ours {' '.join(compare.AS_NCCL_TESTS)} -b 8"
        self.assertEqual(calls, ["theirs -b 8", ours, ours, "theirs -b 8", "theirs -b 8", ours])

    def test_a_program_that_fails_or_prints_other_rows_is_a_failure(self):
        good = self.program("good", {4 * MIB: 10.0})
        for name, bad in (("exit 3", {"code": 3}), ("wrong data", {"wrong": "7"}),
                          ("sizes differ", {"times_us": {8: 1.0}})):
            with self.subTest(name=name):
                words = {"times_us": {4 * MIB: 10.0}} | bad
                code, printed = self.compare(good, self.program("bad", **words))
                self.assertEqual(code, 2, printed)
                self.assertIn(name, printed)

    def test_judges_ratios_from_4_mib_on_and_host_times_by_difference(self):
        for size, ours_us, host_time, expected in (
                (4 * MIB, 9.9, False, "inside"), (4 * MIB, 10.1, False, "inside"),
                (4 * MIB, 9.89, False, "outside"), (4 * MIB, 10.11, False, "outside"),
                (4 * MIB - 1, 20.0, False, "not judged"),
                (8, 10.1, True, "inside"), (8, 10.11, True, "outside"), (8, 9.0, True, "inside")):
            with self.subTest(size=size, ours_us=ours_us, host_time=host_time):
                times = judged_times([10.0, 10.0, 99.0], [ours_us])
                alike = judged_times([1.0], [1.0])
                judged = (alike, times) if host_time else (times, alike)
                self.assertEqual(judgement(size, *judged, host_time=host_time), expected)
        faster, slower = judged_times([10.0], [7.0]), judged_times([10.0], [10.2])
        self.assertEqual(judgement(4 * MIB, faster, alike, own_kernels=True), "inside")
        self.assertEqual(judgement(4 * MIB, slower, alike, own_kernels=True), "outside")

    def test_reads_rows_without_an_operator_as_hypercubes(self):
        times = {}
        compare.add_rows("  64 16 float -1 5.0 1.0 1.0 0 4.0 1.0 1.0 0\n", times)
        self.assertEqual(times, {64: ([5.0], [4.0])})


if __name__ == "__main__":
    unittest.main()
