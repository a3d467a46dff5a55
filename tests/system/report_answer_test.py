#!/usr/bin/env python3
"""linerate report: the answer on top of the page, and what it says of problems."""

from __future__ import annotations

import unittest

from report_case import SHORT, Report, judged
from runs import Line, MadeUp, pair_lines

LOW = "No: slower than it should be."
OK = "Yes: as fast as it should be."


class Answers(Report):
    def lines(self, **changes: object) -> list[Line]:
        """Three sizes and two placements, the last of 6 results changed."""
        lines = judged(MadeUp(sizes=SHORT).lines())
        lines[-2] |= changes
        return lines

    def state(self, lines: list[Line]) -> str:
        return self.contents_of(self.write("run.jsonl", lines)).answers[0].state

    def test_healthy_results_are_as_fast_as_they_should_be(self) -> None:
        page = self.page_of(self.write("run.jsonl", self.lines()))

        self.assert_says(page, OK, "6 of 6 results are in the range of healthy machines.")

    def test_a_low_result_is_named_with_what_it_reached_and_its_range(self) -> None:
        low = self.lines(expected_busbw_gbps=20.0, expected_low_gbps=16.0,
                         expected_high_gbps=22.0, efficiency=0.5, bound_by="memory",
                         verdict="low")

        page = self.page_of(self.write("run.jsonl", low))

        self.assert_says(page, LOW, "1 of 6 results are below", "1 MiB, in place: 10 GB/s, "
                         "expected 20 (16 to 22), bound by memory.")
        self.assertTrue(any(cell.startswith("▼") for cell in page.row("1 MiB")))

    def test_files_without_a_range_have_the_threshold_of_then(self) -> None:
        old = self.lines(verdict="low", low_below=0.5, expected_busbw_gbps=20.0, efficiency=0.4)
        for line in old[1:-1]:
            for key in ("expected_low_gbps", "expected_high_gbps"):
                line.pop(key, None)

        self.assert_says(self.page_of(self.write("run.jsonl", old)), LOW, "expected 20 (10 to 21)")

    def test_results_without_an_expectation_are_not_judged(self) -> None:
        page = self.page_of(self.write("run.jsonl", MadeUp(sizes=SHORT).lines()))

        self.assert_says(page, "Not judged", "No result says what it is expected to reach")

    def test_an_unstable_machine_stands_beside_the_verdicts_of_results(self) -> None:
        lines = self.lines()
        lines[-1]["verdict"] = "unstable machine"
        lines.insert(-1, {"kind": "finding", "run_id": "r1", "rule": "unstable_machine",
                          "severity": "warning", "subject": "memory", "advice": "measure again",
                          "evidence": "changed by a factor of 1.3 during the run"})

        page = self.page_of(self.write("run.jsonl", lines))

        self.assert_says(page, OK, "memory: changed by a factor of 1.3 during the run.",
                         "What to do: measure again.")

    def test_every_state_is_told_and_the_worst_decides(self) -> None:
        ended = self.lines()
        ended[-1]["verdict"] = "unsure"
        for lines, state in (
            (self.lines(verdict="above"), "above"),
            (self.lines(verdict="above the bound"), "above"),
            (self.lines(verdict="unsure"), "unsure"), (ended, "unsure"),
            (self.lines(verdict="low")[:-1], "failed"),
            (self.lines(verdict="low", wrong=3), "wrong"), (self.lines(verdict="new word"), "ok"),
        ):
            with self.subTest(state=state):
                self.assertEqual(self.state(lines), state)

    def test_what_disturbed_the_run_makes_a_low_result_unsure_at_its_end(self) -> None:
        """By the product of both slacks: 3 GB/s of at least 5, and 1.2 x 1.5 is more than 5 / 3."""
        for slack, state in ((1.5, "unsure"), (1.3, "low")):
            lines = self.lines(expected_busbw_gbps=10.0, expected_low_gbps=5.0, slack=1.2,
                               expected_high_gbps=11.0, efficiency=0.3, verdict="low")
            lines[-1] |= {"slack": slack, "verdict": state}

            self.assertEqual(self.state(lines), state)
        lines[-1]["slack"] = 1.5
        page = self.page_of(self.write("run.jsonl", lines))

        self.assert_says(page, "1 of 6 results are below what healthy machines reach, but by no "
                         "more than what disturbed them may have cost. The lowest: all_reduce, ")
        self.assertNotIn("are in the range", page.text)

    def test_what_disturbed_the_run_widens_the_range_at_its_upper_end_too(self) -> None:
        *lines, end = self.lines(expected_busbw_gbps=2, expected_high_gbps=2.1,
                                 expected_low_gbps=1, efficiency=1.3, verdict="above")
        for slack, state in ((1.5, "ok"), (1.1, "above")):
            self.assertEqual(self.state([*lines, end | {"slack": slack}]), state)

    def test_low_sizes_are_said_by_collective(self) -> None:
        lines = []
        for index, name in enumerate(("all_reduce", "broadcast", "reduce")):
            run = judged(MadeUp(run_id=f"r{index}", collective=name, sizes=SHORT).lines())
            for line in run[3:5] if name != "reduce" else []:
                line["verdict"] = "low"
            lines += run

        page = self.page_of(self.write("suite.jsonl", lines))

        self.assert_says(page, "Low: all_reduce, broadcast at 1 KiB.")

    def test_low_pairs_of_ranks_count_too(self) -> None:
        lines = judged(pair_lines(3))
        lines[5]["verdict"] = "low"

        self.assertEqual(self.state(lines), "low")


if __name__ == "__main__":
    unittest.main()
