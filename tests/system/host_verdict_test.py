"""Runs on this host's memory are judged whose ranks are groups, and pairs; each says its bound."""

import tempfile
import unittest
from pathlib import Path

from support import json_lines, main, run, tool

GROUPS = ("-b", "32M", "-e", "32M", "-n", "3", "-t", "4", "--backend", "host")
PAIRS = ("-e", "32M", "-n", "5", "--backend", "host")


class OnHostMemory(unittest.TestCase):
    def lines(self, name: str, *words: str, **environment: str):
        """The run line, the result lines, the end line and the table."""
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder) / "run.jsonl"
            done = run([tool(name), *words, "--jsonl", str(record)], XDG_CACHE_HOME=folder,
                       **environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            if "could not be probed" in done.stderr:
                self.skipTest("other work leaves this machine no time to be probed")
            lines = json_lines(record)
        results = [line for line in lines if line["kind"] == "result"]
        return lines[0], results, lines[-1], done.stdout

    def assert_judged(self, result: dict, bounds: set[str], table: str):
        """A busy machine may make anything low, but nothing faster than it is."""
        verdicts = {"ok", "low"}
        if "unstable machine" in table:
            verdicts.add("above the bound")
        self.assertIn(result.get("verdict"), verdicts, (result, table))
        self.assertIn(result["bound_by"], bounds)
        self.assertGreater(result["efficiency"], 0)
        self.assertGreater(result["low_below"], 0)

    def test_each_group_is_judged(self):
        _, results, _, table = self.lines("all_reduce_perf", *GROUPS, NCCL_TESTS_SPLIT="MOD 2")

        self.assertEqual([result["group"] for result in results], [0, 1] * 2)
        for result in results:
            self.assert_judged(result, {"memory"}, table)
        self.assertEqual(table.count("# Verdict "), 1, table)

    def test_a_group_of_one_rank_has_no_verdict_but_the_others_do(self):
        for name in ("all_reduce_perf", "broadcast_perf", "sendrecv_perf"):
            with self.subTest(name=name):
                _, results, _, _ = self.lines(name, *GROUPS, NCCL_TESTS_SPLIT="DIV 3")

                judged = {result["nranks"] for result in results if "verdict" in result}
                self.assertEqual(judged, {3})

    def test_each_pair_is_judged_where_its_messages_take_longer_than_their_way(self):
        for words in (("-t", "2"), ("-t", "4", "--at-once")):
            with self.subTest(words=words):
                started, results, end, table = self.lines("p2p_perf", *PAIRS, *words)

                for result in results:
                    if result["case"]["collective"] == "p2p_latency":
                        self.assertNotIn("verdict", result)
                    else:
                        self.assert_judged(result, {"memory", "two cores"}, table)
                for line in (started, end):
                    alone = {point.get("nranks") for point in line["memory"]}
                    self.assertEqual(alone, {None, 1}, line["memory"])
                self.assertEqual(table.count("# Verdict "), 1, table)

    def test_what_is_asked_of_nothing_judged_says_why(self):
        for name, words, split, reason in (
                ("all_reduce_perf", ("-b", "1M", "-e", "1M", "-t", "2"), "MOD 2",
                 "each of the 2 groups is one rank alone"),
                ("p2p_perf", ("-e", "64", "-t", "2"), "", "longer than its way")):
            with self.subTest(name=name):
                split = {"NCCL_TESTS_SPLIT": split} if split else {}
                done = run([tool(name), *words, "--backend", "host", "--fail-below", "0.5"],
                           **split)

                self.assertEqual(done.returncode, 5, done.stderr)
                self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    main()
