#!/usr/bin/env python3
"""linerate report: the range of healthy machines behind the curves of its charts."""

from __future__ import annotations

import unittest

from report_case import SHORT, Report, judged
from runs import Line, MadeUp

from bands import cut_at, parts_below  # isort: skip, report_case tells where it is
from curve_chart import draw_panel  # isort: skip
from frame import PLOT_HEIGHT, TOP  # isort: skip
from quantities import BUSBW  # isort: skip
from scene import Area, Scene, Stroke  # isort: skip


class Bands(Report):
    def scene(self, lines: list[Line], log: bool = False) -> Scene:
        (panel,) = self.contents_of(self.write("run.jsonl", lines)).drawings.panels
        return draw_panel(panel, BUSBW, log)

    def bands(self, scene: Scene) -> list[Area]:
        return [s for s in scene.shapes if isinstance(s, Area) and len(s.points) == 2 * len(SHORT)]

    def test_the_expected_range_lies_behind_the_curves(self) -> None:
        scene = self.scene(judged(MadeUp(sizes=SHORT).lines()))

        (band,) = self.bands(scene)
        lines = [s for s in scene.shapes
                 if isinstance(s, Stroke) and s.look == "s0" and len(s.points) == 3]
        self.assertLess(scene.shapes.index(band), scene.shapes.index(lines[0]))
        for (x, y), low, high in zip(lines[0].points, band.points[:3], band.points[:2:-1],
                                     strict=True):
            self.assertEqual(low[0], x)
            self.assertTrue(high[1] <= y <= low[1], (low, y, high))

    def test_without_an_expectation_there_is_no_band(self) -> None:
        self.assertEqual(self.bands(self.scene(MadeUp(sizes=SHORT).lines())), [])

    def heights(self, high: float, low: float, log: bool) -> tuple[float, float, float]:
        """Of the band, of its lower end, and of the highest point, where bands reach from `low` to
        `high` times that which was measured."""
        lines = judged(MadeUp(sizes=SHORT).lines())
        for line in lines[1:-1]:
            line["expected_high_gbps"] = line["busbw_gbps"] * high
            line["expected_low_gbps"] = line["busbw_gbps"] * low
        scene = self.scene(lines, log)
        points = [s.points for s in scene.shapes if isinstance(s, Stroke) and s.look == "s0"
                  and len(s.points) == len(SHORT)]
        (band,) = ([y for _, y in s.points] for s in scene.shapes
                   if isinstance(s, Area) and len(s.points) > 4)
        self.assertGreaterEqual(min(band), TOP)
        lines = band, band[:len(SHORT)], [y for _, y in points[0]]
        top, low_end, highest = (TOP + PLOT_HEIGHT - min(line) for line in lines)
        return top, low_end, highest

    def test_a_wide_band_leaves_the_curves_a_quarter_of_a_linear_axis(self) -> None:
        top, _, highest = self.heights(high=50, low=0.5, log=False)

        self.assertAlmostEqual(top, PLOT_HEIGHT)
        self.assertGreater(highest, PLOT_HEIGHT / 4)

    def test_a_band_above_the_curves_is_seen(self) -> None:
        top, low_end, _ = self.heights(high=50, low=10, log=False)

        self.assertAlmostEqual(top, PLOT_HEIGHT)
        self.assertTrue(PLOT_HEIGHT / 4 < low_end < PLOT_HEIGHT * 3 / 4, low_end)

    def test_a_logarithmic_axis_has_all_of_the_band(self) -> None:
        top, _, _ = self.heights(high=50, low=0.5, log=True)

        self.assertLess(top, PLOT_HEIGHT)

    def test_a_band_is_cut_where_it_crosses_the_top(self) -> None:
        line = [(0.0, 100.0), (10.0, 0.0), (20.0, 0.0), (30.0, 100.0)]

        cut = cut_at(line, 50)

        self.assertEqual(cut, [(0, 100), (5, 50), (10, 50), (20, 50), (25, 50), (30, 100)])
        self.assertEqual(parts_below(cut, 50), [((0, 100), (5, 50)), ((25, 50), (30, 100))])


if __name__ == "__main__":
    unittest.main()
