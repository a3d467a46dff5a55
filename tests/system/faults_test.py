"""Ranks that die: named, bounded in time, nothing measured is lost."""

import os
import random
import signal
import tempfile
import time
import unittest
from pathlib import Path

from job import LONG_SWEEP, Job, children, kill, rank_pids, wait_for_end
from support import json_lines, main, mpirun, needs, rows, tool

NOTICED_S = 5.0
QUICK_SWEEP = ["-b", "8", "-e", "64K", "-f", "2", "-n", "1", "-w", "0", "-c", "0", "-N", "0",
               "--nprocs", "2"]  # without end
MOMENTS = 50
MOST_ROWS = 28  # two sweeps


class DeadRanks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def test_a_killed_rank_is_named_and_earlier_lines_stay(self):
        for victim in (0, 1, 3):
            with self.subTest(victim=victim):
                self.kill_and_check(victim)

    def kill_and_check(self, victim: int) -> None:
        folder = self.path / str(victim)
        folder.mkdir()
        job = Job(folder, [tool("all_reduce_perf"), *LONG_SWEEP, "--nprocs", "4"])
        job.wait_for_rows(3)
        os.kill(rank_pids(job.out)[victim], signal.SIGKILL)
        code, seconds = job.end(20)
        self.assertEqual(code, 4, job.err.read_text())
        self.assertLess(seconds, NOTICED_S)
        self.assertIn(f"rank {victim}", job.err.read_text())
        if victim != 0:
            self.assertIn("all_reduce", job.err.read_text())
        kept = json_lines(job.jsonl)
        self.assertGreaterEqual(sum(line["kind"] == "result" for line in kept), 6)

    def test_fifty_moments_lose_no_line_and_leave_no_process(self):
        rng = random.Random(20)
        for moment in range(MOMENTS):
            with self.subTest(moment=moment):
                folder = self.path / str(moment)
                folder.mkdir()
                job = Job(folder, [tool("all_reduce_perf"), *QUICK_SWEEP])
                job.wait_for_rows(moment * MOST_ROWS // MOMENTS)
                time.sleep(rng.uniform(0.0, 0.3 if moment < MOMENTS / 5 else 0.02))
                parent, ranks = job.process.pid, children(job.process.pid)
                victim = rng.choice([parent, *ranks])
                os.kill(victim, signal.SIGKILL)
                code, seconds = job.end(30)
                self.assertEqual(code, -9 if victim == parent else 4, job.err.read_text())
                self.assertLess(seconds, 2 * NOTICED_S)
                for rank in ranks:
                    wait_for_end(rank, NOTICED_S)
                self.check_lines(job)

    def check_lines(self, job: Job) -> None:
        """Every row of the table is in the file, whose lines are whole."""
        printed = [row.size for row in rows(job.out.read_text())]
        lines = json_lines(job.jsonl) if job.jsonl.exists() else []
        for placement in ("out_of_place", "in_place"):
            kept = [line["case"]["bytes"] for line in lines
                    if line["kind"] == "result" and line["case"]["placement"] == placement]
            self.assertEqual(kept[:len(printed)], printed)

    def test_a_killed_parent_takes_its_ranks_along(self):
        job = Job(self.path, [tool("all_reduce_perf"), *LONG_SWEEP, "--nprocs", "3"])
        job.wait_for_rows(1)
        ranks = rank_pids(job.out).values()
        job.process.kill()
        job.end(5)
        for rank in ranks:
            wait_for_end(rank, NOTICED_S)

    def test_mpirun_ends_when_a_rank_dies(self):
        needs("mpirun")
        job = Job(self.path, mpirun(3, tool("all_reduce_perf"), *LONG_SWEEP))
        job.wait_for_rows(2)
        os.kill(rank_pids(job.out)[1], signal.SIGKILL)
        code, seconds = job.end(30)
        self.assertNotEqual(code, 0)
        self.assertLess(seconds, 3 * NOTICED_S)
        self.assertGreater(len(json_lines(job.jsonl)), 1)

    def test_a_job_that_ends_in_mpi_keeps_its_last_record(self):
        """Rank 0 waits in MPI for a stopped rank: only its watch can end it, and the files."""
        needs("mpirun")
        job = Job(self.path, mpirun(2, tool("all_reduce_perf"), *LONG_SWEEP, "--backend", "mpi",
                                    "-T", "2"))
        job.wait_for_rows(2)
        victim = rank_pids(job.out)[1]
        os.kill(victim, signal.SIGSTOP)
        try:
            job.end(30)
        finally:
            kill(victim)
        last = json_lines(job.jsonl)[-1]
        self.assertEqual((last["kind"], last["exit_code"]), ("end", 4), last)
        self.assertIn("rank 1", last["error"])


if __name__ == "__main__":
    main()
