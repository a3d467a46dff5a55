#!/usr/bin/env python3
"""linerate report: a click on the head of a table sorts it."""

from __future__ import annotations

from pathlib import Path

from page_dom import HEADS, RESULTS, Script
from report_case import SHORT, judged
from runs import MadeUp
from support import main


class Sorting(Script):
    def column(self, paths: list[Path], index: int, clicks: int = 1) -> list[str]:
        click = ["click", HEADS, index]
        return self.seen(paths, *[click] * clicks, ["column", RESULTS, index])[-1]

    def test_sizes_and_times_sort_by_value_not_by_text(self) -> None:
        sizes = (8, 512, 1024, 16384, 1 << 20, 1 << 24)
        path = self.run_of(sizes=sizes, latency_us=0.5, noise=0)
        steps = [[["click", HEADS, index], ["column", RESULTS, index]] for index in range(3)]

        falling, counts, times = self.seen([path], *(step for both in steps for step in both))[1::2]

        self.assertEqual(falling, ["16 MiB", "1 MiB", "16 KiB", "1 KiB", "512 B", "8 B"])
        self.assertEqual([text.replace("\u202f", "") for text in counts],
                         [str(size // 4) for size in reversed(sizes)])
        self.assertEqual([text.split()[1] for text in times], ["ms", "µs", "µs", "ns", "ns", "ns"])

    def test_twice_reverses_and_the_head_says_so(self) -> None:
        path, click = self.run_of(sizes=SHORT), ["click", HEADS, 0]
        sort = ["values", f"{RESULTS} th[aria-sort]", "aria-sort"]

        one = self.seen([path], click, sort, click, sort, ["column", RESULTS, 0],
                        ["click", HEADS, 1], sort)

        self.assertEqual(one[1::2][:2], [["descending"], ["ascending"]])
        self.assertEqual(one[4], ["8 B", "1 KiB", "1 MiB"])
        self.assertEqual(one[6], ["descending"])

    def test_marks_of_verdicts_are_no_part_of_the_number(self) -> None:
        lines = judged(MadeUp(sizes=SHORT, noise=0).lines())
        for line, verdict, gbps in zip(lines[1:-1:2], ("low", "unsure", "ok"), (9.5, 110.0, 20.0),
                                       strict=True):
            line |= {"verdict": verdict, "busbw_gbps": gbps}

        self.assertEqual(self.column([self.write("run.jsonl", lines)], 4),
                         ["? 110", "20.0", "▼ 9.50"])

    def test_speeds_sort_by_their_ratio_and_empty_cells_come_last(self) -> None:
        before = MadeUp(sizes=(8, 16, 32), noise=0).lines()
        after = MadeUp(sizes=(8, 16, 32, 64), noise=0).lines()
        before, after = ([line for line in lines if line.get("case", {}).get("placement")
                          != "in_place"] for lines in (before, after))
        for line, faster in zip(after[1:], (12.5, 0.5, 1.5, 1), strict=False):
            line["busbw_gbps"] *= faster
        paths = [self.write("before.jsonl", before), self.write("after.jsonl", after)]

        self.assertEqual(self.column(paths, 4), ["x12.5", "+50 %", "−50 %", ""])
        self.assertEqual(self.column(paths, 4, 2), ["−50 %", "+50 %", "x12.5", ""])

    def test_words_sort_as_words(self) -> None:
        path = self.run_of(sizes=(8,), ops=("sum", "max", "prod"))

        self.assertEqual(self.column([path], 0, 2), ["max", "prod", "sum"])


if __name__ == "__main__":
    main()
