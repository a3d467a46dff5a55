"""Ranks that hang or compute wrongly: the run ends, and says where."""

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


if __name__ == "__main__":
    main()
