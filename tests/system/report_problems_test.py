#!/usr/bin/env python3
"""linerate report: what is wrong with runs, and where."""

from __future__ import annotations

import unittest

from report_case import SHORT, Report
from runs import MadeUp, pair_lines


class Problems(Report):
    def test_wrong_data_and_wide_intervals_are_told(self) -> None:
        lines = MadeUp(sizes=SHORT).lines()
        lines[1]["wrong"] = 17
        lines[2]["samples_us"] |= {"median": 10.0, "ci95_low": 5.0, "ci95_high": 15.0}

        page = self.page_of(self.write("run.jsonl", lines))

        self.assert_says(page, "Wrong data: do not use these numbers.",
                         "17 wrong elements in 1 of 6 results", "±50 % (all_reduce, 8 B, in place)")
        self.assertNotIn("all right", page.text)

    def test_a_run_that_failed_is_marked(self) -> None:
        for code, error, text in (
            (3, None, "the run failed: exit code 3: a result is below the limit asked for."),
            (4, "rank 1 died.", "the run failed: exit code 4: rank 1 died."),
            (130, None, "the run failed: exit code 130: it was interrupted."),
        ):
            lines = MadeUp(sizes=SHORT).lines()
            lines[-1] |= {"exit_code": code} | ({"error": error} if error else {})

            self.assert_says(self.page_of(self.write("run.jsonl", lines)), text)

    def test_pairs_are_not_advised_what_p2p_perf_refuses(self) -> None:
        lines = pair_lines(2)
        lines[1]["samples_us"] |= {"median": 10.0, "ci95_low": 5.0, "ci95_high": 15.0}

        page = self.page_of(self.write("run.jsonl", lines))

        self.assert_says(page, "measure longer, with -n, or look")
        self.assertNotIn("--stop", page.text)

    def test_what_several_runs_found_is_said_once(self) -> None:
        lines = []
        for repeat in (1, 2, 3):
            run = MadeUp(run_id=f"r{repeat}", sizes=SHORT).lines()
            run[0] |= {"study": "s", "repeat": repeat}
            run.insert(-1, {"kind": "finding", "run_id": f"r{repeat}", "rule": "late_rank",
                            "subject": "rank 2", "evidence": "comes 40 us after the first"})
            lines += run

        page = self.page_of(self.write("run.jsonl", lines))

        self.assert_says(page, "rank 2: comes 40 us after the first (the first of 3 such runs).")
        self.assertEqual(page.text.count("comes 40 us"), 1)

    def test_advice_is_given_once_to_several(self) -> None:
        lines = MadeUp(sizes=SHORT).lines()
        for rank, advice in ((0, "bind it"), (1, "bind it"), (2, "look")):
            lines.insert(-1, {"kind": "finding", "run_id": "r1", "rule": "busy_core",
                              "subject": f"rank {rank}", "evidence": "waited", "advice": advice})

        page = self.page_of(self.write("run.jsonl", lines))

        self.assert_says(page, "rank 0: waited. rank 1: waited. What to do: bind it. rank 2: "
                               "waited. What to do: look.")


if __name__ == "__main__":
    unittest.main()
