"""Gloo on one host: every way to start it, and ranks that die or hang within its calls."""

import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from job import Job, kill, rank_pids
from ports import free_port
from support import environment, main, mpirun, needs, needs_module, rows, run, tool

SWEEP = ["-b", "8", "-e", "64K", "-f", "8", "-n", "5", "--backend", "gloo"]
LONG = ["-n", "20", "-N", "0", "-c", "0", "--backend", "gloo"]  # without end
SIZES = [8, 64, 512, 4096, 32768]
WOKEN_S = 2.5  # less than the grace after which the watch ends processes that still wait


def setUpModule() -> None:
    needs_module("gloo")


class OneTable(unittest.TestCase):
    def check(self, command: list[str], nranks: int, **extra: str) -> str:
        done = run(command, **extra)
        self.assertEqual(done.returncode, 0, done.stderr)
        table = rows(done.stdout)
        self.assertEqual([row.size for row in table], SIZES, done.stdout)
        self.assertEqual({row.out_of_place[3] + row.in_place[3] for row in table}, {"00"})
        self.assertEqual(done.stdout.count("#  Rank "), nranks)
        self.assertRegex(done.stdout, "gloo backend Gloo [0-9.]+ over TCP on lo")
        return done.stdout

    def test_threads_and_ranks_of_threads(self):
        self.check([tool("all_reduce_perf"), *SWEEP, "-t", "2", "-g", "2"], 4)

    def test_processes_with_threads(self):
        self.check([tool("all_reduce_perf"), *SWEEP, "--nprocs", "2", "-t", "2"], 4)

    def test_groups_of_processes(self):
        self.check([tool("all_reduce_perf"), *SWEEP, "--nprocs", "4"], 4, NCCL_TESTS_SPLIT="MOD2")

    def test_env(self):
        variables = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                     "MASTER_PORT": str(free_port())}
        command = [tool("all_reduce_perf"), *SWEEP]
        other = subprocess.Popen(command, env=environment(RANK="1", **variables), text=True,
                                 stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.check(command, 2, RANK="0", **variables)
        self.assertEqual(other.communicate(timeout=60)[0], "")
        self.assertEqual(other.returncode, 0)

    def test_mpirun(self):
        needs("mpirun")
        self.check(mpirun(2, tool("all_reduce_perf"), *SWEEP), 2)

    def test_one_host_stays_with_the_host_backend(self):
        done = run([tool("all_reduce_perf"), "-b", "8", "-e", "8", "--nprocs", "2"])
        self.assertIn("note: backend host", done.stderr)


class LostRanks(unittest.TestCase):
    def start(self, folder: str, *words: str) -> Job:
        job = Job(Path(folder), [tool("all_reduce_perf"), *LONG, "--nprocs", "3", *words])
        job.wait_for_rows(1)
        return job

    def test_a_killed_rank_is_named_whatever_the_size(self):
        for victim, size in ((0, "1K"), (1, "1K"), (2, "16M"), (1, "16M")):
            with self.subTest(victim=victim, size=size), tempfile.TemporaryDirectory() as folder:
                job = self.start(folder, "-b", size, "-e", size)
                os.kill(rank_pids(job.out)[victim], signal.SIGKILL)
                code, seconds = job.end(20)
                self.assertEqual(code, 4, job.err.read_text())
                self.assertLess(seconds, WOKEN_S)
                self.assertRegex(job.err.read_text(), rf"rank {victim} \(.*died ")

    def test_a_stopped_rank_is_named_after_the_timeout(self):
        with tempfile.TemporaryDirectory() as folder:
            job = self.start(folder, "-b", "1M", "-e", "1M", "-T", "2")
            victim = rank_pids(job.out)[2]
            os.kill(victim, signal.SIGSTOP)
            try:
                code, seconds = job.end(30)
            finally:
                kill(victim)
            self.assertEqual(code, 4, job.err.read_text())
            self.assertLess(seconds, 15)
            self.assertIn("rank 2", job.err.read_text())


if __name__ == "__main__":
    main()
