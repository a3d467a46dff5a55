"""Ranks that hang or compute wrongly: the run ends, and says where."""

import json
import os
import signal
import tempfile
import unittest
from pathlib import Path

from job import LONG_SWEEP, Job, kill, rank_pids
from support import main, mpirun, needs, run, tool


class HungRanks(unittest.TestCase):
    def test_a_stopped_rank_is_named_after_the_timeout(self):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(Path(folder), [tool("all_reduce_perf"), *LONG_SWEEP, "--nprocs", "3",
                                     "-T", "2"])
            job.wait_for_rows(2)
            victim = rank_pids(job.out)[2]
            os.kill(victim, signal.SIGSTOP)
            try:
                code, seconds = job.end(30)
            finally:
                kill(victim)
            self.assertEqual(code, 4, job.err.read_text())
            self.assertLess(seconds, 15)
            self.assertIn("rank 2", job.err.read_text())
            self.assertIn("all_reduce", job.err.read_text())

    def test_a_stopped_rank_of_mpirun_is_named_and_the_job_ends(self):
        needs("mpirun")
        with tempfile.TemporaryDirectory() as folder:
            job = Job(Path(folder), mpirun(2, tool("all_reduce_perf"), *LONG_SWEEP, "--backend",
                                           "host", "-T", "2"))
            job.wait_for_rows(2)
            victim = rank_pids(job.out)[1]
            os.kill(victim, signal.SIGSTOP)
            try:
                code, _ = job.end(30)
            finally:
                kill(victim)
            self.assertNotEqual(code, 0, job.err.read_text())
            self.assertRegex(job.err.read_text(), rf"rank 1 \(\S+, pid {victim}\) is missing from")

    def test_a_rank_that_hangs_within_a_stage_is_named_with_the_collective(self):
        done = run([tool("all_reduce_perf"), "-b", "8", "-e", "1K", "-f", "2", "-t", "3", "-T", "1",
                    "--backend", "fake", "--fake", "hang=1:40"], limit_s=30)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stderr, "rank 1 .* is missing from all_reduce, 8 bytes")


class WrongData(unittest.TestCase):
    def test_a_flipped_bit_makes_exit_1_and_says_where(self):
        done = run([tool("all_reduce_perf"), "-b", "1K", "-e", "1K", "-t", "3",
                    "--backend", "fake", "--fake", "flip=2"])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("FAILED", done.stdout)
        self.assertRegex(done.stderr, r"rank 2.*expected")

    def test_wrong_timed_calls_are_found_though_all_others_are_right(self):
        flips = ",".join(f"flip=1:{call}" for call in range(1, 42))  # warm-up, window, samples
        done = run([tool("all_reduce_perf"), "-b", "1M", "-e", "1M", "-n", "20", "-w", "1",
                    "-t", "2", "--backend", "fake", "--fake", flips])
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, "rank 1 is the first")

    def test_between_pairs_the_ranks_and_the_byte_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "lines")
            done = run([tool("p2p_perf"), "-t", "2", "-b", "8", "-e", "4K", "-n", "5", "--jsonl",
                        str(file), "--backend", "fake", "--fake", "flip=1"])
            found = [json.loads(line).get("first_wrong") for line in file.read_text().splitlines()]
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "wrong data in p2p_unidirectional, 4096 bytes, uint8, "
                                      "ranks 0 and 1: rank 1 is the first, at element [0-9]+")
        self.assertEqual({where["rank"] for where in found if where}, {1})

    def test_a_fault_of_a_rank_that_does_not_exist_is_refused(self):
        for fault in ("flip=9", "die=5:1", "hang=2:1", "slow_rank=9:1us", "slow_link=0-2:0.5"):
            with self.subTest(fault):
                done = run([tool("all_reduce_perf"), "-b", "8", "-e", "8", "-t", "2",
                            "--backend", "fake", "--fake", fault])
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, "names rank [259], but the ranks of this run are "
                                              "0 to 1")


if __name__ == "__main__":
    main()
