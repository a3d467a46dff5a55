#!/usr/bin/env python3
"""linerate report: what a page says where one points, and which drawing it shows."""

from __future__ import annotations

import re

from page_dom import HEADS, RESULTS, Script
from report_case import SHORT
from runs import pair_lines
from support import main


class Pointing(Script):
    def test_a_chart_says_the_values_of_the_nearest_point(self) -> None:
        path = self.run_of(sizes=(8, 64, 1 << 20))
        places, widths, dots = self.seen(
            [path], ["values", "#curves figure:first-child .linear .hit", "x"],
            ["values", "#curves figure:first-child .linear .hit", "width"],
            ["values", "#curves figure:first-child .linear path[stroke-linecap]", "d"])
        points = [float(x) for x in re.findall(r"M([\d.]+)", max(dots, key=len))]
        said = self.seen([path], *(["point", "#curves .linear .hit", n] for n in range(3)))

        self.assertEqual([text.splitlines()[0] for text in said], ["8 B", "64 B", "1 MiB"])
        for left, width, nearest in zip(places, widths, points, strict=True):
            for x in (float(left) + 1, float(left) + float(width) - 1):
                self.assertEqual(min(points, key=lambda point, x=x: abs(point - x)), nearest)

    def test_a_cell_says_its_own_result_wherever_it_is_sorted_to(self) -> None:
        path = self.run_of(sizes=SHORT)

        before, _, after = self.seen([path], ["point", f"{RESULTS} td[data-tip]", 0],
                                     ["click", HEADS, 0],
                                     ["point", f"{RESULTS} tbody tr:last-child td[data-tip]", 0])

        self.assertTrue(before.startswith("all_reduce, 8 B, out of place: "), before)
        self.assertEqual(after, before)

    def test_a_pair_is_named_with_its_direction_and_unit(self) -> None:
        path = self.write("pairs.jsonl", pair_lines(4))
        cell = "#pairs table[data-unit='GB/s'] tbody tr:nth-child(3) td"

        pair, itself, head, shown = self.seen(
            [path], ["point", cell, 1], ["point", cell, 2],
            ["point", "#pairs table[data-unit='GB/s'] th", 2], ["column", "#pairs table.matrix", 1])

        self.assertRegex(pair, r"^from 2 to 1: [\d.]+ GB/s$")
        self.assertEqual((itself, head), ("", ""))
        self.assertEqual(len(shown), 4)

    def test_a_finger_points_too_and_what_is_shown_goes_away(self) -> None:
        path, hit = self.run_of(sizes=SHORT), "#curves .linear .hit"

        touched, scrolled, again, elsewhere = self.seen(
            [path], ["point", hit, 1, 5, 5, "pointerdown"], ["scroll"], ["point", hit, 1],
            ["point", "h1", 0])

        self.assertEqual((touched, scrolled, elsewhere), (again, True, ""))
        self.assertIn("1 KiB", touched)

    def test_it_stays_within_the_window(self) -> None:
        path, hit = self.run_of(sizes=SHORT), "#curves .linear .hit"

        seen = self.seen([path], ["point", hit, 0, 100, 100], ["place"],
                         ["point", hit, 0, 1020, 760], ["place"],
                         ["point", hit, 0, 0, 0], ["place"])

        self.assertEqual(seen[1::2], [["114px", "118px"], ["718px", "648px"], ["14px", "18px"]])


class Switches(Script):
    def test_they_show_one_drawing_and_say_which(self) -> None:
        path, button = self.run_of(sizes=SHORT), "[data-set='busbw=log']"
        state = ["values", "body", "data-busbw"]

        before, pressed, _, after, now = self.seen(
            [path], state, ["values", button, "aria-pressed"], ["click", button, 0], state,
            ["values", "[data-set^=busbw]", "aria-pressed"])

        self.assertEqual((before, pressed, after), (["linear"], ["false"], ["log"]))
        self.assertEqual(now, ["false", "true"])


if __name__ == "__main__":
    main()
