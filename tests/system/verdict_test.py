"""All kinds of runs on the fake backend and emulated networks are judged, what is slow is named."""

from judged import SMALL, Runs
from support import main


class Verdicts(Runs):
    def test_slow_links_of_other_kinds_are_named(self):
        for slow, words in (("link: rack0.up, factor: 4",
                             "the way from nodes 0, 1 to nodes 2, 3"),
                            ("link: node1.local, factor: 200",
                             "the link between rank 2 and rank 3"),
                            ("link: node2.nic.down, delay_us: 200",
                             "what node 2 sends to others and receives from them")):
            with self.subTest(slow=slow):
                self.assert_named(self.emulated(slow=slow), words)

    def test_every_collective_and_algorithm_is_judged(self):
        for name in ("all_gather", "reduce_scatter", "broadcast", "reduce", "alltoall", "alltoallv",
                     "gather", "scatter", "sendrecv", "hypercube"):
            with self.subTest(name=name):
                self.assert_healthy(self.emulated(name=f"{name}_perf"))
        for algorithm in ("ring", "tree", "hierarchical"):
            with self.subTest(algorithm=algorithm):
                self.assert_healthy(self.emulated(*SMALL, "--algo", algorithm))

    def test_the_limit_asked_for_counts(self):
        slow = "slow_rank=3:38us"
        failed = self.fake(*SMALL, "--fail-below", "0.9", faults=slow)
        self.assertEqual((failed.code, failed.end["exit_code"]), (3, 3))
        self.assertEqual(self.fake(*SMALL, "--fail-below", "0.9").code, 0)
        self.assertEqual(self.emulated(*SMALL, "--fail-below", "0.9").code, 0)

    def test_a_group_is_judged_by_its_own_ranks(self):
        judged = self.fake(faults="slow_rank=3:38us", NCCL_TESTS_SPLIT="MOD 2")
        by_group = {result["group"]: result["verdict"] for result in judged.results}
        self.assertEqual(by_group, {0: "ok", 1: "low"})
        self.assert_named(judged, "rank 3")

    def test_nothing_is_asked_where_nobody_expects(self):
        judged = self.fake(*SMALL, "--expect", "off", faults="slow_rank=3:38us")
        self.assertEqual((judged.verdicts(), judged.findings), ({"none"}, []))
        self.assertNotIn("verdict", judged.end)

    def test_pairs_are_judged_and_name_what_is_slow(self):
        words = ("-b", "8", "-e", "256K", "-n", "2")
        self.assert_healthy(self.fake(*words, name="p2p_perf"))
        self.assert_named(self.fake(*words, name="p2p_perf", faults="slow_link=2-5:0.25"),
                          "the link between rank 2 and rank 5")
        self.assert_named(self.emulated(*words, name="p2p_perf", slow="rank: 5, factor: 4"),
                          "rank 5")


if __name__ == "__main__":
    main()
