#!/usr/bin/env python3
"""linerate report: what it writes for whole, torn, foreign and crowded runs."""

from __future__ import annotations

import re
import subprocess
import sys
import unittest

from report_case import REPORTS, SHORT, Page, Report
from runs import MadeUp, pair_lines


class Files(Report):
    def test_charts_and_page_are_written(self) -> None:
        self.page_of(self.write("run.jsonl", MadeUp(sizes=SHORT).lines()))

        for name in ("busbw", "latency"):
            self.assertEqual((self.out / f"{name}.png").read_bytes()[:4], b"\x89PNG")
            self.assertIn("</svg>", (self.out / f"{name}.svg").read_text(encoding="utf-8"))

    def test_the_same_run_gives_the_same_bytes(self) -> None:
        run = self.write("run.jsonl", MadeUp(sizes=SHORT).lines())

        first, second = self.page_of(run), self.page_of(run)

        self.assertTrue(first == second)

    def test_the_page_loads_nothing(self) -> None:
        page = self.page_of(self.write("run.jsonl", MadeUp(sizes=SHORT).lines()))

        self.assertTrue(all(a.startswith("data:") for a in Page(page).addresses))
        self.assertEqual(len(Page(page).addresses), 2)
        self.assertIsNone(re.search(r"<script|<link|@import|url\(", page))


    def test_as_a_program_it_names_the_page_on_stderr_only(self) -> None:
        run = self.write("run.jsonl", MadeUp(sizes=SHORT).lines())
        command = [sys.executable, REPORTS / "report.py", run, "-o", self.out]

        done = subprocess.run(command, capture_output=True, text=True, check=False)

        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(done.stderr, f"{self.out / 'report.html'}\n")


class Content(Report):
    def test_the_table_holds_the_window_and_the_samples(self) -> None:
        lines = MadeUp(sizes=(1 << 20,), noise=0).lines()
        lines[1]["window"]["time_us"], lines[1]["busbw_gbps"] = 250.0, 4.25
        lines[1]["samples_us"] |= {"median": 1260.0, "ci95_low": 900.0, "ci95_high": 2000.0}

        cells = Page(self.page_of(self.write("run.jsonl", lines))).cells

        self.assertEqual(cells[:3], ["1 MiB", "262 144", "250 µs"])
        self.assertEqual(cells[4:8], ["4.25", "1.26 ms", "0.900 … 2.00 ms", "0"])

    def test_text_of_the_run_is_escaped(self) -> None:
        page = self.page_of(self.write("run.jsonl", MadeUp(sizes=SHORT).lines()))

        self.assert_says(page, "&lt;1 &amp; 2&gt;")
        self.assertFalse("<1 & 2>" in page)

    def test_several_runs_are_told_apart_by_folder_backend_and_ranks(self) -> None:
        runs = [
            self.write("a/run.jsonl", MadeUp(sizes=SHORT).lines()),
            self.write("b/run.jsonl", MadeUp(sizes=SHORT, backend="mpi", nranks=4).lines()),
        ]

        page = self.page_of(*runs)

        self.assert_says(page, "a/run: host, 2 ranks")
        self.assert_says(page, "b/run: mpi, 4 ranks")

    def test_runs_of_one_file_stay_two_runs(self) -> None:
        lines = MadeUp(sizes=SHORT).lines() + MadeUp(run_id="r2", sizes=SHORT).lines()

        page = self.page_of(self.write("run.jsonl", lines))

        self.assert_says(page, "(#1)")
        self.assert_says(page, "(#2)")

    def test_groups_are_rows_of_their_own(self) -> None:
        page = self.page_of(self.write("run.jsonl", MadeUp(sizes=SHORT, groups=2).lines()))

        self.assertEqual(page.count("<td>8 B</td>"), 2)
        self.assert_says(page, "<th>group</th>")

    def test_pairs_of_ranks_are_reported(self) -> None:
        page = self.page_of(self.write("run.jsonl", pair_lines(4)))

        self.assert_says(page, "<td>0 and 3</td>")

    def test_a_crowded_run_says_what_it_leaves_out(self) -> None:
        many = MadeUp(sizes=(8,), types=tuple("abcdefg"), ops=("sum", "min"), groups=6)

        page = self.page_of(self.write("r.jsonl", many.lines()))

        self.assert_says(page, "2 more panels are left out")

    def test_one_rank_and_no_samples_are_drawn_too(self) -> None:
        self.page_of(self.write("run.jsonl", MadeUp(nranks=1, samples=False, sizes=(8,)).lines()))

    def test_wrong_data_and_wide_intervals_are_warned_of(self) -> None:
        lines = MadeUp(sizes=SHORT).lines()
        lines[1]["wrong"] = 17
        lines[2]["samples_us"] |= {"median": 10.0, "ci95_low": 5.0, "ci95_high": 15.0}

        page = self.page_of(self.write("run.jsonl", lines))

        self.assert_says(page, "17 wrong elements in 1 of 6 results")
        self.assert_says(page, "±50 % (n=20, 8 B, in place)")
        self.assertFalse("all right" in page)


if __name__ == "__main__":
    unittest.main()
