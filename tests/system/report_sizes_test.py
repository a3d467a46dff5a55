#!/usr/bin/env python3
"""linerate report: pages stay small enough to be sent, and give way with the raw data first."""

from __future__ import annotations

import unittest
from pathlib import Path
from unittest import mock

from report_case import SHORT, Report, judged
from runs import Line, MadeUp, pair_lines

SIZES = tuple(8 << power for power in range(25))
MOST = 3_000_000


class Sizes(Report):
    def suite(self, name: str, faster: float) -> Path:
        """20 collectives, 25 sizes, two placements."""
        lines: list[Line] = []
        for number in range(20):
            lines += judged(MadeUp(run_id=f"{name}{number}", collective=f"collective_{number}",
                                   nranks=8, sizes=SIZES, gbps=12 + number * faster).lines())
        return self.write(f"{name}.jsonl", lines)

    def test_a_large_suite_has_half_of_three_megabytes_and_two_have_all(self) -> None:
        one, other = self.suite("one", 1.1), self.suite("other", 1.2)

        self.assertLess(len(self.html_of(one).encode()), 0.6 * MOST)
        self.assertLess(len(self.html_of(one, other).encode()), MOST)

    def test_pairs_of_16_and_128_ranks(self) -> None:
        for nranks, most in ((16, 0.1 * MOST), (128, MOST)):
            html = self.html_of(self.write("pairs.jsonl", pair_lines(nranks)))

            self.assertLess(len(html.encode()), most)

    def test_raw_data_are_left_out_where_a_page_would_be_too_large(self) -> None:
        run = self.write("run.jsonl", MadeUp(sizes=SHORT).lines())
        whole = len(self.html_of(run).encode())
        line = 300  # around the data
        for room, embedded in ((whole + line, True), (whole - line, False)):
            with mock.patch("page.MAX_PAGE_BYTES", room):
                html = self.html_of(run)

            self.assertEqual("bytes: too large for this page" in html, not embedded)
            self.assertEqual("save it from this page" in html, embedded)


if __name__ == "__main__":
    unittest.main()
