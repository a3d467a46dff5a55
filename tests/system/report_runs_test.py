#!/usr/bin/env python3
"""linerate report: several files, failed runs, few samples, and how it ends."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import unittest

from report_case import REPORTS, SHORT, Page, Report, main
from runs import MadeUp, pair_lines


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

    def test_a_folder_without_a_name(self) -> None:
        run = self.write("run.jsonl", MadeUp(sizes=SHORT).lines())
        stderr = io.StringIO()
        with contextlib.redirect_stderr(stderr):
            code = main([str(run), "-o", ""])

        self.assertEqual((code, stderr.getvalue()),
                         (2, "linerate report: -o needs the name of a folder.\n"))

    def test_an_interrupt_is_one_line_and_exit_130(self) -> None:
        pipe = self.folder / "run.jsonl"
        script = (
            "import os, runpy, signal, sys, threading\n"
            "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
            "import runlog, time\n"
            "runlog.read_runs = lambda path: time.sleep(60)\n"
            "sys.argv = sys.argv[1:]\n"
            "runpy.run_path(sys.argv[0], run_name='__main__')\n"
        )
        command = [sys.executable, "-c", script, REPORTS / "report.py", pipe, "-o", self.out]

        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              cwd=REPORTS, timeout=60)

        self.assertEqual((done.returncode, done.stderr), (130, "linerate report: interrupted.\n"))


class Findings(Report):
    def test_a_median_and_its_interval_share_a_unit(self) -> None:
        lines = MadeUp(sizes=(8,)).lines()
        lines[1]["samples_us"] |= {"median": 0.914, "ci95_low": 0.847, "ci95_high": 1.34}

        cells = Page(self.page_of(self.write("run.jsonl", lines))).cells

        self.assertEqual(cells[5:7], ["0.914 µs", "0.847 … 1.34 µs"])

    def test_samples_too_few_for_an_interval_have_none(self) -> None:
        lines = MadeUp(sizes=(8,)).lines()
        for line in lines[1:-1]:
            for key in ("ci95_low", "ci95_high"):
                del line["samples_us"][key]
            line["samples_us"] |= {"n": 5, "median": 3.0}

        page = self.page_of(self.write("run.jsonl", lines))

        self.assertEqual(Page(page).cells[5:7], ["3.00 µs", ""])
        self.assertFalse("medians are known to worse" in page)

    def test_a_run_that_failed_is_marked(self) -> None:
        for code, error, text in (
            (3, None, "The run failed (exit code 3): its bandwidth is below the limit"),
            (4, "rank 1 died.", "The run failed (exit code 4): rank 1 died."),
            (130, None, "The run failed (exit code 130): it was interrupted."),
        ):
            lines = MadeUp(sizes=SHORT).lines()
            lines[-1] |= {"exit_code": code} | ({"error": error} if error else {})

            self.assert_says(self.page_of(self.write("run.jsonl", lines)), text)

    def test_pairs_are_not_advised_what_p2p_perf_refuses(self) -> None:
        lines = pair_lines(2)
        lines[1]["samples_us"] |= {"median": 10.0, "ci95_low": 5.0, "ci95_high": 15.0}

        page = self.page_of(self.write("run.jsonl", lines))

        self.assert_says(page, "Measure longer, with -n, or look")
        self.assertFalse("--stop" in page)


if __name__ == "__main__":
    unittest.main()
