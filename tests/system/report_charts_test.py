#!/usr/bin/env python3
"""linerate report: axes, bands, rings and ratios of its charts."""

from __future__ import annotations

import unittest

from report_case import SHORT, Report, judged
from runs import Line, MadeUp

from axes import linear_axis, log_axis, size_axis  # isort: skip, report_case tells where it is
from curve_chart import draw_panel  # isort: skip
from quantities import BUSBW, LATENCY  # isort: skip
from ratio_chart import draw_ratio  # isort: skip
from scene import Hit, Ring, Scene, Stroke, Words  # isort: skip
from tips import panel_tips  # isort: skip


class Axes(unittest.TestCase):
    def labels(self, ticks: tuple[tuple[float, str], ...]) -> list[str]:
        return [label for _, label in ticks if label]

    def test_linear_ones_end_on_ticks(self) -> None:
        axis = linear_axis(0, 48.9, lambda v: f"{v:g}")

        self.assertEqual(self.labels(axis.ticks), ["0", "10", "20", "30", "40", "50"])
        self.assertEqual((axis.part(0), axis.part(25), axis.part(50)), (0, 0.5, 1))

    def test_logarithmic_ones_label_their_top_and_bottom(self) -> None:
        self.assertEqual(self.labels(log_axis(3, 170, lambda v: f"{v:g}").ticks),
                         ["2", "5", "10", "20", "50", "100", "200"])

    def test_noise_does_not_fill_a_logarithmic_axis(self) -> None:
        axis = log_axis(1.0, 1.02, lambda v: f"{v:g}")

        self.assertGreaterEqual(axis.high / axis.low, 4)

    def test_sizes_are_powers_of_two(self) -> None:
        labels = self.labels(size_axis([8 << k for k in range(24)]).ticks)

        self.assertEqual((labels[0], labels[1], len(labels)), ("8 B", "128 B", 6))


class Curves(Report):
    def scene(self, lines: list[Line], log: bool = False) -> Scene:
        (panel,) = self.contents_of(self.write("run.jsonl", lines)).drawings.panels
        return draw_panel(panel, BUSBW, log)

    def test_what_is_not_ok_has_a_ring_in_the_colour_of_its_verdict(self) -> None:
        lines = judged(MadeUp(sizes=SHORT).lines())
        for line, verdict in zip(lines[1:], ("low", "unsure", "above"), strict=False):
            line["verdict"] = verdict

        rings = [s.look for s in self.scene(lines).shapes if isinstance(s, Ring)]

        self.assertEqual(sorted(rings), ["above", "low", "unsure"])

    def test_each_size_says_its_values_when_it_is_pointed_at(self) -> None:
        lines = judged(MadeUp(sizes=SHORT, noise=0).lines())
        lines[1] |= {"algorithm": "RING", "protocol": "LL", "channels": 24}
        contents = self.contents_of(self.write("run.jsonl", lines))
        (panel,) = contents.drawings.panels

        tips = panel_tips(panel)

        hits = [s for s in draw_panel(panel, LATENCY, True).shapes if isinstance(s, Hit)]
        self.assertEqual([hit.tip for hit in hits], [0, 1, 2])
        self.assertEqual([tip.splitlines()[0] for tip in tips], ["8 B", "1 KiB", "1 MiB"])
        for text in ("out of place: 0.00267 GB/s, 3 µs", "expected 0.00293 (0.00205 to 0.00352)",
                     "bound by latency: ok", "RING, LL, 24 channels", "in place: "):
            self.assertIn(text, tips[0])

    def test_one_rank_has_no_bandwidth_to_draw(self) -> None:
        scene = self.scene(MadeUp(nranks=1, samples=False, sizes=(8,)).lines())

        words = [s.text for s in scene.shapes if isinstance(s, Words)]
        self.assertIn("the bus bandwidth of one rank is 0", words)

    def test_a_crowded_run_says_what_it_leaves_out(self) -> None:
        many = MadeUp(sizes=(8,), types=tuple("abcdefghi"), ops=("sum", "min", "max"), groups=3)

        page = self.page_of(self.write("run.jsonl", many.lines()))

        self.assert_says(page, "3 more panels are left out")

    def test_ratios_are_drawn_against_the_first(self) -> None:
        slower = MadeUp(sizes=SHORT, gbps=6).lines()
        contents = self.contents_of(self.write("a.jsonl", MadeUp(sizes=SHORT).lines()),
                                    self.write("b.jsonl", slower))

        scene = draw_ratio(contents.drawings.ratios[0])

        (curve, _) = (s for s in scene.shapes if isinstance(s, Stroke) and len(s.points) == 3)
        (base,) = (s for s in scene.shapes if isinstance(s, Stroke) and s.look == "text")
        self.assertAlmostEqual(curve.points[0][1], base.points[0][1], delta=1)
        self.assertGreater(curve.points[2][1], base.points[0][1] + 50)


if __name__ == "__main__":
    unittest.main()
