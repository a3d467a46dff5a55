"""The memory that the system counts is what the arenas have, and what was there before them."""

import json
import tempfile
import unittest
from pathlib import Path

from support import main, run, tool

SHARE = 0.03
RUN = ["--model", "micro", "--batch", "4", "--steps", "2", "--assert-accounting"]


class Resident(unittest.TestCase):
    def check(self, *words: str) -> dict:
        """Of a run; yields its end line."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.jsonl"
            done = run([tool("train_fsdp"), *RUN, *words, "--jsonl", str(path)])
            self.assertEqual(done.returncode, 0, done.stderr)
            end = json.loads(path.read_text().splitlines()[-1])
        use = end["resident"]
        known = use["start_bytes"] + use["arena_bytes"]
        self.assertLess(abs(use["peak_bytes"] / known - 1), SHARE, use)
        self.assertGreater(use["arena_bytes"], 8 * use["start_bytes"])
        return end

    def test_is_known_in_each_stage(self):
        for stage in "0123":
            with self.subTest(stage=stage):
                self.check("-t", "2", "--zero", stage)

    def test_is_known_of_processes_that_read_from_each_other(self):
        self.check("--nprocs", "2", "--zero", "3")

    def test_is_known_while_checkpoints_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            end = self.check("-t", "2", "--zero", "2", "--deterministic", "--checkpoint", folder,
                             "--checkpoint-every", "1")
        self.assertGreater(end["peak_bytes"]["checkpoint"], 0)

    def test_has_no_optimizer_in_it_that_lies_in_a_file(self):
        plain = self.check("-t", "2", "--zero", "0")
        with tempfile.TemporaryDirectory() as folder:
            there = self.check("-t", "2", "--zero", "0", "--offload-optimizer", folder)
        saved = plain["resident"]["peak_bytes"] - there["resident"]["peak_bytes"]
        self.assertGreater(saved, 2 * 0.9 * there["peak_bytes"]["offloaded"])


if __name__ == "__main__":
    main()
