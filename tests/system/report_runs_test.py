#!/usr/bin/env python3
"""linerate report: files without results, how it ends, and what its tables hold."""

from __future__ import annotations

import subprocess
import sys
import unittest

from report_case import REPORTS, SHORT, Report
from runs import MadeUp


class Calls(Report):
    def test_a_file_without_results_is_left_out_of_several(self) -> None:
        whole = self.write("a.jsonl", MadeUp(sizes=SHORT).lines())
        end = {"kind": "end", "run_id": "r2", "exit_code": 5, "error": "No room for 5 GiB."}
        failed = self.write("b.jsonl", [MadeUp(run_id="r2").run_line(), end])

        code, stderr = self.report(whole, failed)

        self.assertEqual(code, 0, stderr)
        self.assertRegex(stderr.splitlines()[0], r"left out: .*b\.jsonl has .*No room for 5 GiB\.$")
        self.assertEqual(stderr.count("\n"), 2, stderr)

    def test_a_run_without_results_says_why_it_has_none(self) -> None:
        end = {"kind": "end", "run_id": "r1", "exit_code": 5, "error": "No room for 5 GiB."}
        path = self.write("run.jsonl", [MadeUp().run_line(), end])

        self.assert_refused(path, "no result: No room for 5 GiB\\.$")

    def test_several_files_none_of_which_has_a_result(self) -> None:
        empty = self.folder / "a.jsonl"
        empty.write_text("")
        other = self.write("b.jsonl", [MadeUp().run_line()])

        code, stderr = self.report(empty, other)

        self.assertEqual((code, stderr.count("\n")), (2, 1), stderr)

    def test_an_interrupt_is_one_line_and_exit_130(self) -> None:
        pipe = self.folder / "run.jsonl"
        script = (
            "import os, runlog, runpy, signal, sys\n"
            "runlog.read_runs = lambda path: os.kill(os.getpid(), signal.SIGINT)\n"
            "sys.argv = sys.argv[1:]\n"
            "runpy.run_path(sys.argv[0], run_name='__main__')\n"
        )
        command = [sys.executable, "-c", script, REPORTS / "report.py", "", self.out, "html", "",
                   pipe]

        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              cwd=REPORTS, timeout=60)

        self.assertEqual((done.returncode, done.stderr), (130, "linerate report: interrupted.\n"))


class Tables(Report):
    def test_results_hold_the_window_and_calls_the_samples(self) -> None:
        lines = MadeUp(sizes=(1 << 20,), noise=0).lines()
        lines[1]["window"]["time_us"], lines[1]["busbw_gbps"] = 250.0, 4.25
        lines[1]["samples_us"] |= {"median": 1260.0, "ci95_low": 900.0, "ci95_high": 2000.0,
                                   "p95": 2100.0, "p99": 2200.0}
        lines[1] |= {"arrival_skew_us": 40.0, "late_us": [0.0, 40.0]}

        page = self.page_of(self.write("run.jsonl", lines))

        results, calls, _ = (row for row in page.rows if row and row[0] == "1 MiB")
        self.assertEqual(results[:3], ["1 MiB", "262\u202f144", "250 µs"])
        self.assertEqual(results[4], "4.25")
        self.assertEqual(calls[:7], ["1 MiB", "out of place", "20", "1.26 ms",
                                     "0.900 … 2.00 ms", "2.10 ms", "2.20 ms"])
        self.assertEqual(calls[7:], ["40.0 µs", "", "1: 40 µs"])

    def test_summary_curve_and_table_have_one_source(self) -> None:
        lines = MadeUp(sizes=SHORT, noise=0).lines()
        for line in lines[1:-1]:
            line["busbw_gbps"] = 27.8 if line["case"]["bytes"] == 1024 else 5.0
            line["samples_us"] |= {"median": 1e-3, "ci95_low": 1e-3, "ci95_high": 1e-3}
        path = self.write("run.jsonl", lines)

        page, contents = self.page_of(path), self.contents_of(path)

        self.assert_says(page, "Highest bus bandwidth: 27.8 GB/s (all_reduce, 1 KiB")
        self.assertEqual(page.row("1 KiB")[4], "27.8")
        curve = contents.drawings.panels[0].curves[0]
        self.assertEqual([f.busbw_gbps for f in curve.figures], [5.0, 27.8, 5.0])

    def test_samples_too_few_for_an_interval_have_none(self) -> None:
        lines = MadeUp(sizes=(8,)).lines()
        for line in lines[1:-1]:
            for key in ("ci95_low", "ci95_high"):
                del line["samples_us"][key]
            line["samples_us"] |= {"n": 5, "median": 3.0}

        page = self.page_of(self.write("run.jsonl", lines))

        self.assertIn(["8 B", "out of place", "5", "3.00 µs", "", "", "", "", "", ""], page.rows)
        self.assertNotIn("single calls vary", page.text)

    def test_groups_are_rows_of_their_own(self) -> None:
        page = self.page_of(self.write("run.jsonl", MadeUp(sizes=(8,), groups=2).lines()))

        self.assertTrue({"group 0", "group 1"} <= {row[0] for row in page.rows if row})


if __name__ == "__main__":
    unittest.main()
