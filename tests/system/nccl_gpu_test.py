"""The collectives on real GPUs: right data, alone and with ranks that share one GPU."""

import shutil
import tempfile
import unittest
from pathlib import Path

from support import json_lines, lacks, main, needs, needs_module, run, tool

NCOLLECTIVES = 11
NO_GPU = 5
LINERATE = tool("linerate")


def on_gpus(*words: str) -> object:
    return run([LINERATE, *words, "--backend", "nccl"], limit_s=300)


def setUpModule() -> None:
    needs_module("nccl")
    done = on_gpus("all_reduce", "-b", "8", "-e", "8")
    if done.returncode == NO_GPU:
        lacks(done.stderr.strip())


class Collectives(unittest.TestCase):
    def assert_right(self, done: object) -> None:
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertIn("Out of bounds values : 0 OK", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^ +\d+ +\d+ +\w+ ")  # rows, also longer ones (-I)

    def assert_all_right(self, done: object) -> None:
        self.assert_right(done)
        self.assertEqual(done.stdout.count("Out of bounds values : 0 OK"), NCOLLECTIVES,
                         done.stdout)

    def test_are_right_on_one_gpu(self):
        self.assert_all_right(on_gpus("suite", "-b", "8", "-e", "16M", "-f", "8"))

    def test_are_right_among_ranks_that_share_a_gpu(self):
        for nranks in ("2", "4"):
            with self.subTest(nranks=nranks):
                self.assert_all_right(on_gpus("suite", "-b", "1K", "-e", "1M", "-f", "32", "-n",
                                              "2", "--nprocs", nranks, "--oversubscribe", "-T",
                                              "60"))

    def test_take_every_type_and_operator(self):
        self.assert_right(on_gpus("all_reduce", "-b", "64K", "-e", "64K", "-d", "all", "-o", "all",
                                  "-n", "2", "--nprocs", "2", "--oversubscribe"))

    def test_follow_each_option(self):
        for words in (["-G", "3"], ["-R", "1"], ["-R", "2"], ["-x", "0"], ["-y", "1"], ["-I", "1"],
                      ["-z", "1"], ["-z", "3"], ["-m", "4"], ["-u", "3"], ["-M", "1"],
                      ["--nccl-tests-config"], ["--report-init"]):
            with self.subTest(words=words):
                self.assert_right(on_gpus("all_reduce", "-b", "1K", "-e", "1M", "-f", "32", *words))

    def test_a_second_rank_without_a_gpu_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "one.jsonl"
            self.assert_right(on_gpus("all_reduce", "-b", "8", "-e", "8", "--jsonl", str(path)))
            self.assertRegex(json_lines(path)[0]["ranks"][0]["bus_id"], r"^[0-9a-f]{4}:[0-9a-f:]+$")
        done = on_gpus("all_reduce", "-b", "8", "-e", "8", "-g", "64")
        self.assertEqual(done.returncode, NO_GPU, done.stderr)
        self.assertIn("Invalid number of GPUs", done.stderr)

    def test_touch_no_memory_that_is_not_theirs(self):
        needs("compute-sanitizer")
        # NCCL tries calls that fail, as for memory of kinds that the GPU does not have.
        done = run([shutil.which("compute-sanitizer"), "--report-api-errors", "no",
                    "--error-exitcode", "9", LINERATE, "all_reduce", "--backend", "nccl", "-b", "8",
                    "-e", "64K", "-f", "32", "-n", "1"], limit_s=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    main()
