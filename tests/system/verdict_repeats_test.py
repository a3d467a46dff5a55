"""Slow links and ranks make results low and are named; healthy runs are not called low: each often.

REPEATS in the environment (5 without it): how often each is run.
"""

import os

from judged import Runs
from support import main

REPEATS = int(os.environ.get("REPEATS", "5"))


class OnTheFake(Runs):
    def test_healthy_runs_are_not_low(self):
        for seed in range(REPEATS):
            self.assert_healthy(self.fake(seed=seed))

    def test_a_slow_rank_is_named(self):
        for seed in range(REPEATS):
            rank = seed % 8
            self.assert_named(self.fake(faults=f"slow_rank={rank}:38us", seed=seed),
                              f"rank {rank}")

    def test_a_rank_that_makes_small_calls_30_percent_slower_is_named(self):
        for seed in range(REPEATS):
            rank = seed % 8
            judged = self.fake(faults=f"slow_rank={rank}:23us", seed=seed)
            self.assertLess(max(result["efficiency"] for result in judged.results), 1 / 1.1)
            self.assert_named(judged, f"rank {rank}")

    def test_a_slow_link_is_named(self):
        for seed in range(REPEATS):
            rank = seed % 7
            judged = self.fake(faults=f"slow_link={rank}-{rank + 1}:0.25", seed=seed)
            self.assert_named(judged, f"the link between rank {rank} and rank {rank + 1}")


class OnAnEmulatedNetwork(Runs):
    def test_healthy_runs_are_not_low(self):
        for _ in range(REPEATS):
            self.assert_healthy(self.emulated())

    def test_a_slow_rank_is_named(self):
        for i in range(REPEATS):
            rank = i % 8
            self.assert_named(self.emulated(slow=f"rank: {rank}, factor: 4, delay_us: 20"),
                              f"rank {rank}")

    def test_a_slow_link_is_named_with_its_direction(self):
        for i in range(REPEATS):
            node = i % 4
            way, words = (("up", "sends to"), ("down", "receives from"))[i // 4 % 2]
            self.assert_named(self.emulated(slow=f"link: node{node}.nic.{way}, factor: 4"),
                              f"what node {node} {words} others")


if __name__ == "__main__":
    main()
