#!/usr/bin/env python3
"""Tests of the memory's floors: what must be moved, and which bound holds."""

from __future__ import annotations

import unittest

from made_up import case

from cells import IN_PLACE
from floors import Limits, floor_of, traffic_bytes

S = 128 << 20
LIMITS = Limits(nt_write_gbps=27, nt_copy_gbps=50)


class Traffic(unittest.TestCase):
    def test_of_two_ranks_in_units_of_the_size(self):
        expected = {"all_reduce": (2, 2), "reduce_scatter": (2, 1), "all_gather": (1, 2),
                    "broadcast": (1, 2), "all_to_all": (2, 2), "sendrecv": (2, 2)}

        found = {name: traffic_bytes(case(1, collective=name)) for name in expected}

        self.assertEqual(found, expected)

    def test_what_lies_in_place_is_not_written(self):
        for name in ("all_gather", "broadcast"):
            self.assertEqual(traffic_bytes(case(1, collective=name, placement=IN_PLACE)), (1, 1))
        self.assertEqual(traffic_bytes(case(1, placement=IN_PLACE)), (2, 2))


class Floors(unittest.TestCase):
    def test_slow_writes_bind_all_gather(self):
        floor = floor_of(case(S, collective="all_gather"), LIMITS)

        self.assertEqual(floor.bound_by, "writes")
        self.assertAlmostEqual(floor.time_us, 2 * S / 27e3)

    def test_reads_and_writes_together_bind_reduce_scatter(self):
        floor = floor_of(case(S, collective="reduce_scatter"), LIMITS)

        self.assertEqual(floor.bound_by, "reads and writes")
        self.assertAlmostEqual(floor.time_us, 3 * S / 50e3)

    def test_a_faster_memory_lowers_the_floor(self):
        faster = Limits(2 * LIMITS.nt_write_gbps, 2 * LIMITS.nt_copy_gbps)

        self.assertAlmostEqual(floor_of(case(S), faster).time_us,
                               floor_of(case(S), LIMITS).time_us / 2)


if __name__ == "__main__":
    unittest.main()
