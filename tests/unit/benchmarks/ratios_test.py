#!/usr/bin/env python3
"""Tests of ratios and differences of medians."""

from __future__ import annotations

import unittest

import made_up  # noqa: F401

from ratios import difference_of_medians, ratio_of_medians


class Ratios(unittest.TestCase):
    def test_one_disturbed_round_moves_neither_the_ratio_nor_much_of_its_interval(self):
        peer = [4.0, 4.1, 3.9, 4.0, 4.2, 4.0, 900.0]
        ours = [2.0, 2.0, 2.1, 1.9, 2.0, 2.0, 2.0]

        ratio = ratio_of_medians(peer, ours)

        self.assertAlmostEqual(ratio.value, 2.0)
        self.assertLess(ratio.high, 3.0)
        self.assertLessEqual(ratio.low, ratio.value)

    def test_rounds_stay_together_so_that_a_machine_that_slows_down_cancels(self):
        ours = [float(2**i) for i in range(9)]
        peer = [3 * us for us in ours]

        ratio = ratio_of_medians(peer, ours)

        self.assertAlmostEqual(ratio.low, 3.0)
        self.assertAlmostEqual(ratio.high, 3.0)

    def test_few_rounds_have_no_interval(self):
        ratio = ratio_of_medians([2.0, 2.0, 2.0, 2.0], [1.0, 1.0, 1.0, 1.0])

        self.assertEqual((ratio.value, ratio.low, ratio.high), (2.0, None, None))

    def test_the_same_rounds_give_the_same_interval(self):
        rounds = ([3.0, 2.5, 2.8, 3.3, 2.9, 3.1], [1.0, 1.2, 0.9, 1.1, 1.0, 1.3])

        self.assertEqual(ratio_of_medians(*rounds), ratio_of_medians(*rounds))

    def test_a_difference_has_an_interval_too(self):
        difference = difference_of_medians([1.0, 1.1, 1.2, 1.1, 1.0], [1.0, 1.0, 1.0, 1.0, 1.0])

        self.assertAlmostEqual(difference.value, 0.1)
        self.assertLessEqual(difference.low, 0.1)


if __name__ == "__main__":
    unittest.main()
