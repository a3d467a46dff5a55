"""memcpy_perf on GPUs: every test copies the right data, and the figures are possible ones."""

import tempfile
import unittest
from pathlib import Path

from support import json_lines, lacks, main, needs_module, run, tool

MEMCPY = tool("memcpy_perf")
NO_GPU = 5
LIMIT_S = 550  # of all tests together


def setUpModule() -> None:
    needs_module("nccl")
    done = run([MEMCPY, "-t", "h2d_ce", "-b", "1M", "-n", "1"])
    if done.returncode == NO_GPU:
        lacks(done.stderr.strip())


class Copies(unittest.TestCase):
    def results(self, *words: str) -> list[dict]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "copies.jsonl"
            done = run([MEMCPY, *words, "--jsonl", str(path)], limit_s=LIMIT_S)
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
            return [line for line in json_lines(path) if line["kind"] == "result"]

    def test_every_test_copies_the_right_data(self):
        results = self.results("-b", "16M", "-n", "3")

        self.assertGreaterEqual(len(results), 14)  # those of one GPU
        for result in results:
            self.assertEqual(result["wrong"], 0, result)
            self.assertGreater(result["busbw_gbps"], 0, result)

    def test_sizes_of_one_grain_and_of_odd_multiples_are_copied(self):
        for size in ("16", "48", "1000000"):
            for result in self.results("-b", size, "-n", "1"):
                self.assertEqual(result["wrong"], 0, result)

    def test_a_bidirectional_figure_is_no_less_than_either_of_its_directions(self):
        """Over one interval: with a little room for what is measured at other times."""
        by_name = {r["case"]["collective"]: r for r in
                   self.results("-t", "h2d_ce,d2h_ce,host_bidir_ce", "-b", "64M", "--gpus", "0")}
        both = by_name["memcpy_host_bidir_ce"]["busbw_gbps"]
        each = [by_name[f"memcpy_{name}"]["busbw_gbps"] for name in ("h2d_ce", "d2h_ce")]

        self.assertGreater(both, 0.8 * max(each))
        self.assertLess(both, 1.1 * sum(each))


if __name__ == "__main__":
    main()
