#!/usr/bin/env python3
"""linerate report: matrices of results between pairs of ranks or GPUs."""

from __future__ import annotations

import unittest

from report_case import Matrix, Report, matrices_of, read_runs
from runs import Line, pair_lines


class Matrices(Report):
    def matrix(self, lines: list[Line], title: str) -> Matrix:
        runs = read_runs(self.write("run.jsonl", lines))
        return next(m for m in matrices_of(runs) if m.title.startswith(title))

    def test_a_pair_measured_once_stands_in_both_cells(self) -> None:
        values = self.matrix(pair_lines(2), "bidirectional").values

        self.assertEqual(values[0, 1], values[1, 0])

    def test_a_pair_measured_in_each_direction_keeps_both_figures(self) -> None:
        lines = pair_lines(2)
        for line in lines:
            if line.get("case", {}).get("collective") == "p2p_unidirectional":
                line["case"]["collective"] = "memcpy_d2d_read_ce"
                line["busbw_gbps"] = 10.0 * line["case"]["pair"][0]

        values = self.matrix(lines, "memcpy d2d read ce").values

        self.assertEqual((values[0, 1], values[1, 0]), (0.0, 10.0))


if __name__ == "__main__":
    unittest.main()
