"""Ranks that die: named, bounded in time, nothing measured is lost."""

import json
import os
import random
import signal
import tempfile
import time
import unittest
from pathlib import Path

from job import LONG_SWEEP, Job, children, rank_pids
from support import json_lines, mpirun, needs, tool

NOTICED_S = 5.0


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

    def test_fifty_random_moments_leave_whole_lines_and_no_process(self):
        rng = random.Random(20)
        for moment in range(50):
            with self.subTest(moment=moment):
                folder = self.path / str(moment)
                folder.mkdir()
                job = Job(folder, [tool("all_reduce_perf"), *LONG_SWEEP, "--nprocs", "3"])
                time.sleep(rng.uniform(0.0, 0.4))
                victims = children(job.process.pid)
                if victims:
                    os.kill(rng.choice(victims), signal.SIGKILL)
                else:
                    job.process.kill()
                code, seconds = job.end(30)
                self.assertIn(code, (4, -9), job.err.read_text())
                self.assertLess(seconds, 2 * NOTICED_S)
                if job.jsonl.exists():
                    for line in job.jsonl.read_text().splitlines():
                        json.loads(line)
                self.assertFalse([p for p in victims if Path(f"/proc/{p}/exe").exists()])

    def test_a_killed_parent_takes_its_ranks_along(self):
        job = Job(self.path, [tool("all_reduce_perf"), *LONG_SWEEP, "--nprocs", "3"])
        job.wait_for_rows(1)
        ranks = rank_pids(job.out).values()
        job.process.kill()
        job.end(5)
        end = time.monotonic() + NOTICED_S
        while any(Path(f"/proc/{pid}/exe").exists() for pid in ranks):
            self.assertLess(time.monotonic(), end, "a rank outlived its parent")
            time.sleep(0.05)

    def test_mpirun_ends_when_a_rank_dies(self):
        needs("mpirun")
        job = Job(self.path, mpirun(3, tool("all_reduce_perf"), *LONG_SWEEP))
        job.wait_for_rows(2)
        os.kill(rank_pids(job.out)[1], signal.SIGKILL)
        code, seconds = job.end(30)
        self.assertNotEqual(code, 0)
        self.assertLess(seconds, 3 * NOTICED_S)
        self.assertGreater(len(json_lines(job.jsonl)), 1)


if __name__ == "__main__":
    unittest.main()
