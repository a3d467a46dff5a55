"""topo/calibration: the forecast in the program is the one that was fitted to published runs."""

from __future__ import annotations

import sys
from pathlib import Path
from unittest import TestCase, main

import numpy as np

from support import tool

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "topo" / "calibration"))
from fit import fitted  # noqa: E402
from model import problem, times_us  # noqa: E402
from points import Point, points, published, size_of  # noqa: E402

STATES = ("healthy", "tuned", "other hardware", "degraded", "low")
ROUNDING = 0.02  # parameters are written with three digits


class Published(TestCase):
    def test_have_a_source_a_version_and_a_state(self):
        for table in published():
            with self.subTest(table["id"]):
                self.assertIn(table["state"], STATES)
                self.assertIn(table["nccl_from"], ("source", "date"))
                self.assertTrue(table["source"] and table["by"] and table["date"])
                self.assertTrue(all(busbw > 0 for busbw in table["busbw_gbps"].values()))
                sizes = [size_of(size) for size in table["busbw_gbps"]]
                self.assertEqual(sizes, sorted(set(sizes)))


class Forecast(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.points: list[Point] = points(Path(tool("linerate")))

    def test_is_what_was_fitted(self):
        healthy = [point for point in self.points if point.table["state"] == "healthy"]
        of = problem(healthy)
        logs = fitted(of)

        times = times_us(of, np.array([logs[name] for name in of.names]))

        for point, time in zip(healthy, times, strict=True):
            with self.subTest(point.table["id"], size=point.size):
                self.assertAlmostEqual(point.row["expected_time_us"] / time, 1, delta=ROUNDING)

    def test_has_most_healthy_figures_in_its_band(self):
        inside = [point.row["expected_low_gbps"] <= point.busbw_gbps
                  <= point.row["expected_high_gbps"]
                  for point in self.points if point.table["state"] == "healthy"]

        self.assertGreater(np.mean(inside), 0.8)

    def test_calls_machines_low_that_their_owners_call_slow(self):
        slow = [point.busbw_gbps < point.row["expected_low_gbps"]
                for point in self.points
                if point.table["state"] == "low" and point.size >= 64 << 20]

        self.assertGreater(np.mean(slow), 0.9)


if __name__ == "__main__":
    main()
