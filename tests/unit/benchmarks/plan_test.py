#!/usr/bin/env python3
"""Tests of plans and of competitors' commands: what is measured, and how ranks are started."""

from __future__ import annotations

import unittest
from pathlib import Path

import made_up  # noqa: F401

from cells import OUT_OF_PLACE
from competitors import COMPETITORS, command_of, environment_of, reason_to_skip
from machine import has_changed
from measure import windows_us
from plan import PLANS, Block, Plan, sizes
from schedule import END_SHARE, SPARE_SHARE, Schedule
from targets import BANDS, WARM

BUILD = Path("/nowhere")
BY_KEY = {competitor.key: competitor for competitor in COMPETITORS}


class Plans(unittest.TestCase):
    def test_sizes_end_with_the_last(self):
        self.assertEqual(sizes(4, 128), (8, 32, 128))
        self.assertEqual(sizes(4, 100), (8, 32, 100))

    def test_full_and_quick_reach_every_band_of_every_headline(self):
        for name in ("full", "quick"):
            warm = [b for b in PLANS[name]().blocks if (b.nranks, b.cold) == (2, False)]
            for collective in WARM:
                measured = [size for b in warm if b.collective == collective for size in b.sizes]
                for band in BANDS:
                    self.assertTrue(any(map(band.holds, measured)), (name, collective, band.name))

    def test_no_case_is_measured_twice(self):
        for plan in PLANS.values():
            cases = [case for block in plan().blocks for case in block.cases]
            self.assertEqual(len(cases), len(set(cases)))


class Schedules(unittest.TestCase):
    NOW_S = 1000.0

    def schedule(self, *weights: float) -> Schedule:
        blocks = tuple(Block(2, False, "all_reduce", OUT_OF_PLACE, (8,), w) for w in weights)
        return Schedule(Plan(100, blocks), now=lambda: self.NOW_S)

    def test_blocks_share_by_weight_what_is_neither_to_spare_nor_for_the_end(self):
        schedule = self.schedule(3, 1)
        free_s = 100 * (1 - SPARE_SHARE - END_SHARE)

        self.assertAlmostEqual(schedule.until(0), self.NOW_S + free_s * 3 / 4)
        self.assertAlmostEqual(schedule.until(1), self.NOW_S + free_s)

    def test_a_repetition_is_allowed_once_the_time_to_spare_covers_it(self):
        schedule = self.schedule(1)

        self.assertTrue(schedule.may_repeat(100 * SPARE_SHARE - 2))
        self.assertFalse(schedule.may_repeat(3))
        self.assertTrue(schedule.may_repeat(1))


class Commands(unittest.TestCase):
    def test_threads_and_processes_start_without_a_launcher(self):
        peer = "/nowhere/benchmarks/bin/bench_peer"

        self.assertEqual(command_of(BY_KEY["threads"], 2, BUILD),
                         [peer, "--nthreads", "2", "--backend", "host"])
        self.assertEqual(command_of(BY_KEY["private"], 4, BUILD),
                         [peer, "--nprocs", "4", "--backend", "host", "--private-buffers"])

    def test_each_mpi_is_told_its_own_module(self):
        folders = [environment_of(BY_KEY[key], BUILD)["LINERATE_MODULE_PATH"]
                   for key in ("openmpi", "mpich")]

        self.assertEqual(folders, ["/nowhere/lib", "/nowhere/benchmarks/mpich"])

    def test_a_missing_module_is_a_reason_that_names_the_remedy(self):
        reason = reason_to_skip(BY_KEY["gloo"], BUILD)

        self.assertIn("liblinerate-gloo.so", reason)
        self.assertIn("make deps-bench", reason)
        self.assertIsNone(reason_to_skip(BY_KEY["threads"], BUILD))


class Machine(unittest.TestCase):
    def test_the_two_regimes_are_told_apart_and_noise_is_not_one(self):
        usual = {"flag_ns": 60, "nt_write_gbps": 27}

        self.assertFalse(has_changed(usual, {"flag_ns": 85, "nt_write_gbps": 25}))
        self.assertTrue(has_changed(usual, {"flag_ns": 330, "nt_write_gbps": 27}))
        self.assertTrue(has_changed({"flag_ns": 60, "nt_write_gbps": 54}, usual))

    def test_a_windows_time_is_its_slowest_ranks(self):
        answers = [{"window_us": [1.0, 5.0]}, {"window_us": [2.0, 4.0]}]

        self.assertEqual(windows_us(answers), [2.0, 5.0])


if __name__ == "__main__":
    unittest.main()
