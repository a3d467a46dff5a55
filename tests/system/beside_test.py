"""--beside measures calls and a load alone and at once, and says both slow-downs."""

import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from support import json_lines, main, run, tool


class Beside(unittest.TestCase):
    def measured(self, load: str, *words: str, ranks: int = 2):
        with TemporaryDirectory() as folder:
            into = Path(folder) / "run.jsonl"
            done = run([tool("all_reduce_perf"), "-t", str(ranks), "-b", "64K", "-e", "64K", "-n",
                        "5", "--beside", load, "--jsonl", str(into), *words])
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout, json_lines(into)

    def check(self, load: str, lines: list[dict]) -> None:
        self.assertEqual(lines[0]["settings"]["beside"], load)
        results = [line for line in lines if line["kind"] == "result"]
        self.assertEqual(len(results), 2)
        for result in results:
            beside = result["beside"]
            self.assertEqual(beside["load"], load)
            self.assertLessEqual(beside["blocks"], 15)
            for part in (beside["call"], beside["unit"]):
                self.assertGreater(part["alone_us"], 0)
                self.assertEqual("ci95_low" in part, beside["blocks"] > 5)
                if beside["blocks"] > 5:  # fewer on a machine that is busy with something else
                    self.assertLessEqual(part["ci95_low"], part["slowdown"])
                    self.assertLessEqual(part["slowdown"], part["ci95_high"])

    def test_each_load_runs_on_the_host(self):
        for load in ("gemm:128", "memory:1M", "all_gather:64K"):
            text, lines = self.measured(load)
            self.check(load, lines)
            told = text[text.index(f"# Beside {load}: medians"):].splitlines()
            rows = [line.split()[1:3] for line in told if "_place" in line]
            self.assertEqual(rows, [["65536", "out_of_place"], ["65536", "in_place"]])

    def test_calls_of_pairs_beside_calls_of_all(self):
        _, lines = self.measured("all_reduce:64K:MOD2", ranks=4)
        self.check("all_reduce:64K:MOD2", lines)

    # Its clock knows no contention, so that whatever is added by mistake would show.
    def test_calls_of_the_fake_backend_cost_each_other_nothing(self):
        _, lines = self.measured("all_reduce:64K", "--backend", "fake")
        for result in (line for line in lines if line["kind"] == "result"):
            for part in ("call", "unit"):
                self.assertAlmostEqual(result["beside"][part]["slowdown"], 1, places=6)

    def test_what_no_rank_can_call_is_refused_in_a_sentence(self):
        done = run([tool("all_reduce_perf"), "-t", "3", "-b", "64K", "-e", "64K", "--beside",
                    "hypercube"])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--beside hypercube:4M: ", done.stderr)
    def test_what_does_not_fit_is_refused_before_anything_is_printed(self):
        done = run([tool("all_reduce_perf"), "-t", "2", "-b", "8", "-e", "8", "--beside",
                    "memory:100T"])
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("Choose a smaller load", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_without_it_nothing_is_said(self):
        done = run([tool("all_reduce_perf"), "-t", "2", "-b", "8", "-e", "8"])
        self.assertNotIn("eside", done.stdout)


if __name__ == "__main__":
    main()
