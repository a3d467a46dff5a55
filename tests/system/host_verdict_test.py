"""Runs on this host's memory are judged; groups and pairs are not, and say why."""

import tempfile
import unittest
from pathlib import Path

from support import json_lines, main, run, tool

RANKS = ("-b", "32M", "-e", "32M", "-n", "3", "-t", "4", "--backend", "host")
PAIRS = ("-e", "32M", "-n", "5", "-t", "2", "--backend", "host")


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
        """A busy machine may make anything slow, but nothing faster than it is."""
        self.assertIn(result.get("verdict"), {"ok", "unsure", "low"}, (result, table))
        self.assertIn(result["bound_by"], bounds)
        self.assertGreater(result["efficiency"], 0)
        self.assertGreater(result["expected_low_gbps"], 0)

    def test_ranks_on_one_memory_are_judged(self):
        _, results, end, table = self.lines("all_reduce_perf", *RANKS)

        for result in results:
            self.assert_judged(result, {"memory"}, table)
            self.assertGreaterEqual(result["window"]["slowest_us"], result["window"]["time_us"])
            self.assertGreaterEqual(result["slack"], 1)
        self.assertEqual(table.count("# Verdict "), 1, table)
        self.assertIn(f"# Verdict              : {end['verdict']} at ", table)
        self.assertGreaterEqual(end["slack"], 1)

    def test_the_record_explains_the_numbers(self):
        run_line, results, _, _ = self.lines("all_reduce_perf", "-b", "1K", "-e", "4K", "-f", "4",
                                             "-t", "2", "--backend", "host")

        self.assertLessEqual({"compiler", "build_type"}, run_line["build"].keys())
        self.assertLessEqual({"kernel", "system", "load"}, run_line["host"].keys())
        for rank in run_line["ranks"]:
            self.assertRegex(rank["affinity"], r"^[\d,-]+$")
        for result in results:
            self.assertRegex(result["timestamp"], r"^\d{4}-\d\d-\d\dT[\d:.]+Z$")
            buffers = 2 if result["case"]["placement"] == "out_of_place" else 1
            slots = 4096 // result["case"]["bytes"]  # of a buffer of -e, which 20 calls fill
            self.assertEqual(result["touched_bytes"], buffers * slots * result["case"]["bytes"])
            self.assertEqual(len(result["window"]["core_wait_us"]), 2)

    def test_groups_and_pairs_on_one_memory_have_no_verdict(self):
        for name, words, split in (("all_reduce_perf", RANKS, {"NCCL_TESTS_SPLIT": "MOD 2"}),
                                   ("p2p_perf", PAIRS, {})):
            with self.subTest(name=name):
                _, results, _, table = self.lines(name, *words, **split)

                self.assertEqual({"verdict" in result for result in results}, {False})
                self.assertNotIn("# Verdict ", table)

    def test_what_is_asked_of_nothing_judged_says_why(self):
        for name, words, split, reason in (
                ("all_reduce_perf", ("-b", "1M", "-e", "1M", "-t", "2"), "MOD 2",
                 "each of the 2 groups is one rank alone"),
                ("all_reduce_perf", ("-b", "1M", "-e", "1M", "-t", "4"), "MOD 2",
                 "share the memory of one host"),
                ("p2p_perf", ("-e", "64", "-t", "2"), "", "on emulated networks")):
            with self.subTest(name=name):
                split = {"NCCL_TESTS_SPLIT": split} if split else {}
                done = run([tool(name), *words, "--backend", "host", "--fail-below", "0.5"],
                           **split)

                self.assertEqual(done.returncode, 5, done.stderr)
                self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    main()
