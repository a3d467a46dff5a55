#!/usr/bin/env python3
"""linerate report: matrices of pairs of ranks, and copies in the words of memcpy_perf."""

from __future__ import annotations

import unittest
from typing import Any

from report_case import Report, judged
from runs import Line, MadeUp, pair_lines


class Matrices(Report):
    def matrix(self, lines: list[Line], title: str) -> Any:
        contents = self.contents_of(self.write("run.jsonl", lines))
        return next(m for m in contents.matrices if m.title.startswith(title))

    def slow_pair(self, nranks: int) -> list[Line]:
        """All pairs alike but one."""
        lines = pair_lines(nranks)
        for line in lines:
            if line["kind"] == "result":
                slow = 2.0 if line["case"]["pair"] == [1, 3] else 1.0
                line["window"]["time_us"], line["busbw_gbps"] = 5.0 * slow, 10.0 / slow
        return lines

    def test_a_pair_measured_once_stands_in_both_cells(self) -> None:
        both = self.matrix(pair_lines(2), "Both ways")

        self.assertEqual(both.value(0, 1), both.value(1, 0))

    def test_a_pair_measured_in_each_direction_keeps_both_figures(self) -> None:
        lines = pair_lines(2)
        for line in lines:
            if line.get("case", {}).get("collective") == "p2p_unidirectional":
                line["busbw_gbps"] = 10.0 * (1 + line["case"]["pair"][0])

        one_way = self.matrix(lines, "One way")

        self.assertEqual((one_way.value(0, 1), one_way.value(1, 0)), (10.0, 20.0))

    def test_every_cell_is_the_timed_window_as_on_the_terminal(self) -> None:
        latency = self.matrix(self.slow_pair(4), "Latency, half a round trip of 8 B")

        self.assertEqual((latency.value(0, 1), latency.value(3, 1)), (5.0, 10.0))

    def test_best_and_worst_are_named(self) -> None:
        page = self.page_of(self.write("run.jsonl", self.slow_pair(16)))

        self.assert_says(page, "One way, 64 MiB from row to column",
                         "Worst: ranks 1 → 3, 5 GB/s, 2 times slower. Median: 10 GB/s.")

    def test_noise_is_not_painted_as_a_fault(self) -> None:
        lines = self.slow_pair(4)
        for line in lines[1:-1]:
            line["window"]["time_us"] = 5.0 + 0.002 * line["case"]["pair"][0]

        latency = self.matrix(lines, "Latency")

        self.assertEqual({latency.level(value) for value in latency.cells.values()}, {0})
        self.assertIn("All 6 pairs are within 5 %", latency.sentence)

    def test_low_pairs_are_framed(self) -> None:
        lines = judged(self.slow_pair(4))
        for line in lines:
            if line.get("case", {}).get("pair") == [1, 3]:
                line["verdict"] = "low"

        one_way = self.matrix(lines, "One way")

        self.assertEqual(list(one_way.rows)[1][3][0], "h9 framed")
        self.assertNotIn("framed", list(one_way.rows)[3][1][0])

    def test_sixty_four_ranks_are_drawn_and_a_thousand_are_not(self) -> None:
        cells = self.html_of(self.write("run.jsonl", pair_lines(64))).count("<td class=\"h")
        self.assertEqual(cells, 3 * 64 * 63)
        lines = pair_lines(2)
        lines[1]["case"]["pair"] = [0, 1023]

        self.assert_says(self.page_of(self.write("run.jsonl", lines)), "too many for a picture")


class Copies(Report):
    def copies(self) -> list[Line]:
        run = MadeUp(run_id="m", collective="memcpy_h2d_ce", backend="cuda", nranks=0).run_line()
        lines = [run | {"program": "memcpy_perf", "ranks": []}]
        for gpu in range(4):
            case = {"collective": "memcpy_h2d_ce", "type": "int8", "redop": "none", "root": -1,
                    "placement": "out_of_place", "bytes": 1 << 29, "count": 1 << 29}
            line = MadeUp(run_id="m", nranks=2).result_line(case, 4, 1e4, 0.01)
            line["busbw_gbps"] = 25.0 if gpu != 2 else 12.5
            lines.append(line | {"copy": {"engine": "ce", "row": "host", "column": f"gpu{gpu}"}})
        return [*lines, {"kind": "end", "run_id": "m", "exit_code": 0}]

    def test_they_speak_of_copies_not_of_ranks_and_messages(self) -> None:
        page = self.page_of(self.write("run.jsonl", self.copies()))

        self.assert_says(page, "memory copies", "Host to GPU, by copy engine, copies of 512 MiB",
                         "slowest host → gpu2 12.5 GB/s, 50 % of it")
        for word in ("rank", "out of place", "Bus bandwidth", "message", "--stop"):
            self.assertNotIn(word, page.text.partition("Environment")[0])
        self.assertIn(["25.0", "25.0", "12.5", "25.0"], page.rows)

    def test_they_stand_beside_collectives_without_a_comparison(self) -> None:
        page = self.page_of(self.write("run.jsonl", self.copies() + MadeUp(sizes=(8,)).lines()))

        self.assert_says(page, "all_reduce and memory copies")
        self.assertNotIn("Speed against", page.text)


if __name__ == "__main__":
    unittest.main()
