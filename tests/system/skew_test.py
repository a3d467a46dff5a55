"""Ranks come as late as --skew says, and files and the table tell how long the others waited."""

import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from support import json_lines, main, run, tool

DELAY_US = 50_000


class Skew(unittest.TestCase):
    def setUp(self):
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def measured(self, skew: str, *words: str):
        into = self.folder / "run.jsonl"
        done = run([tool("all_reduce_perf"), "-t", "3", "-b", "1K", "-e", "1K", "-n", "5",
                    "--backend", "host", "--skew", skew, "--jsonl", str(into), *words])
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, json_lines(into)

    def test_of_a_file_makes_the_ranks_late_that_it_names(self):
        delays = self.folder / "delays"
        delays.write_text(f"0\n{DELAY_US}\n0\n")
        text, lines = self.measured(str(delays))
        for result in (line for line in lines if line["kind"] == "result"):
            # Never sooner; beside other work each may come later.
            self.assertGreater(result["arrival_skew_us"], DELAY_US / 2)
            self.assertEqual(max(range(3), key=result["late_us"].__getitem__), 1)
            self.assertEqual(min(range(3), key=result["wait_us"].__getitem__), 1)
            self.assertEqual(result["samples_us"]["batch"], 1)
        self.assertIn(f"# Under --skew {delays}, medians of samples", text)
        self.assertEqual(lines[0]["settings"]["skew"], str(delays))
        self.assertFalse([line for line in lines if line.get("rule") == "late_rank"])

    def test_of_a_file_begins_anew_with_each_case(self):
        delays = self.folder / "delays"
        delays.write_text(f"0\n{DELAY_US} 0\n0\n")
        _, lines = self.measured(str(delays), "-n", "1")
        for result in (line for line in lines if line["kind"] == "result"):
            self.assertGreater(result["arrival_skew_us"], DELAY_US / 2)

    def test_drawn_is_told_row_by_row(self):
        text, lines = self.measured("uniform:100ms")
        told = text[text.index("# Under --skew uniform:100000us"):].splitlines()
        rows = [line.split()[1:3] for line in told if "_place" in line]
        self.assertEqual(rows, [["1024", "out_of_place"], ["1024", "in_place"]])
        for result in (line for line in lines if line["kind"] == "result"):
            self.assertGreater(result["arrival_skew_us"], 10_000)

    def test_beyond_the_time_limit_is_refused(self):
        done = run([tool("all_reduce_perf"), "-t", "2", "--skew", "uniform:3s", "-T", "2"])
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("makes a rank 3 s late, and -T/--timeout 2", done.stderr)

    def test_of_an_unknown_kind_names_the_known_one(self):
        done = run([tool("all_reduce_perf"), "-t", "2", "--skew", "normal:50us"])
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("Give a file of delays, or uniform:TIME.", done.stderr)

    def test_that_does_not_fit_the_ranks_is_refused(self):
        delays = self.folder / "delays"
        delays.write_text("0\n1\n")
        done = run([tool("all_reduce_perf"), "-t", "3", "--skew", str(delays)])
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("2 lines of delays, and there are 3 ranks", done.stderr)


if __name__ == "__main__":
    main()
