#!/usr/bin/env python3
"""Tests of targets: which sizes count, who the best peer is, and when a target is met."""

from __future__ import annotations

import unittest

from made_up import case, cell, results

from targets import BANDS, Verdict, verdicts

ALL_REDUCE = 4.0  # the target up to 4 KiB, warm


def first(found: list[Verdict], what: str, setting: str = "2 ranks, warm") -> Verdict:
    return next(v for v in found
                if (v.collective, v.what, v.setting) == ("all_reduce", what, setting))


class Bands(unittest.TestCase):
    def test_both_ends_belong_to_a_band_and_sizes_between_bands_to_none(self):
        names = [[band.name for band in BANDS if band.holds(size << 10)]
                 for size in (4, 8, 32, 1024, 2048, 16384, 32768, 65536)]

        self.assertEqual(names, [["≤ 4 KiB"], [], ["32 KiB – 1 MiB"], ["32 KiB – 1 MiB"],
                                 ["2 – 16 MiB"], ["2 – 16 MiB"], [], ["≥ 64 MiB"]])


class Verdicts(unittest.TestCase):
    def test_the_worst_size_of_a_band_against_the_best_peer_counts(self):
        small, large = case(64), case(4096)
        measured = results(cell(small, "threads", 1.0), cell(small, "mpich", 9.0),
                           cell(large, "threads", 1.0), cell(large, "mpich", 8.0),
                           cell(large, "openmpi", 5.0))

        verdict = first(list(verdicts(measured, "threads")), "≤ 4 KiB")

        self.assertEqual((verdict.reached.value, verdict.at, verdict.target),
                         (5.0, large, ALL_REDUCE))
        self.assertTrue(verdict.met)

    def test_our_other_rows_are_no_peers(self):
        measured = results(cell(case(), "threads", 1.0), cell(case(), "private", 1.0),
                           cell(case(), "gloo", 30.0))

        self.assertEqual(first(list(verdicts(measured, "threads")), "≤ 4 KiB").reached.value, 30.0)

    def test_a_peer_with_wrong_data_is_never_quoted(self):
        measured = results(cell(case(), "threads", 1.0), cell(case(), "mpich", 2.0, wrong=1),
                           cell(case(), "openmpi", 3.0))

        verdict = first(list(verdicts(measured, "threads")), "≤ 4 KiB")

        self.assertEqual(verdict.reached.value, 3.0)
        self.assertFalse(verdict.met)

    def test_our_own_wrong_data_meets_nothing(self):
        measured = results(cell(case(), "threads", 1.0, wrong=1), cell(case(), "mpich", 9.0))

        self.assertIsNone(first(list(verdicts(measured, "threads")), "≤ 4 KiB").reached)

    def test_what_was_not_measured_is_not_met(self):
        verdict = first(list(verdicts(results(), "threads")), "2 – 16 MiB")

        self.assertIsNone(verdict.reached)
        self.assertFalse(verdict.met)

    def test_cold_and_crowded_cases_have_targets_of_their_own(self):
        cold, crowded = case(cold=True), case(nranks=4)
        measured = results(cell(cold, "threads", 2.0), cell(cold, "mpich", 2.8),
                           cell(crowded, "threads", 2.0), cell(crowded, "mpich", 3.0))

        found = list(verdicts(measured, "threads"))

        self.assertTrue(first(found, "up to 2 MiB", "2 ranks, cold").met)
        self.assertFalse(first(found, "up to 2 MiB", "4 ranks, warm").met)
        self.assertTrue(first(found, "any size", "4 ranks, warm").met)


class ShareOfTheLimit(unittest.TestCase):
    LARGE = case(128 << 20)
    WHAT = "share of the memory limit"

    def test_is_the_floors_time_over_ours(self):
        floor_us = 4 * (128 << 20) / 50e3  # read 2S, write 2S; 50 GB/s together
        measured = results(cell(self.LARGE, "threads", 2 * floor_us))

        verdict = first(list(verdicts(measured, "threads")), self.WHAT)

        self.assertAlmostEqual(verdict.reached.value, 0.5)

    def test_is_not_quoted_where_the_machine_changed(self):
        measured = results(cell(self.LARGE, "threads", 1.0), steady=False)

        self.assertIsNone(first(list(verdicts(measured, "threads")), self.WHAT).reached)


if __name__ == "__main__":
    unittest.main()
