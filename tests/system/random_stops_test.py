"""Ranks that stop at any moment of the first two seconds: the job ends in time and names them."""

import os
import random
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from job import LONG_SWEEP
from ports import free_port
from stopped_job import StoppedJob, blamed
from support import environment, main, mpirun, needs, needs_module, tool

TRIALS = int(os.environ.get("LINERATE_STOPS", "1"))  # of each launcher; 50 in the full suite
SEED = int(os.environ.get("LINERATE_SEED", "21"))
NRANKS = 3
TIMEOUT_S = 2
LATEST_STOP_S = 2.0
LIMIT_S = 5 * TIMEOUT_S + 10  # of a busy machine
SWEEP = [*LONG_SWEEP, "-T", str(TIMEOUT_S)]


class RandomStops(unittest.TestCase):
    def check(self, name: str, commands: list[list[str]], variables: list[dict[str, str]]) -> None:
        rng = random.Random(f"{SEED} {name}")
        for trial in range(TRIALS):
            moment, victim = rng.uniform(0, LATEST_STOP_S), rng.randrange(NRANKS)
            port = {"MASTER_PORT": str(free_port())}
            with (self.subTest(trial=trial, moment=round(moment, 3), victim=victim),
                  tempfile.TemporaryDirectory() as folder):
                job = StoppedJob(Path(folder), commands, [one | port for one in variables])
                try:
                    self.stop_and_wait(job, moment, victim)
                finally:
                    job.kill()

    def stop_and_wait(self, job: StoppedJob, moment: float, victim: int) -> None:
        time.sleep(moment)
        while (pid := job.ranks().get(victim)) is None:
            self.assertIsNone(job.processes[0].poll(), job.stderr())
            time.sleep(0.001)
        os.kill(pid, signal.SIGSTOP)
        try:
            codes = job.wait(pid, LIMIT_S)
        except subprocess.TimeoutExpired:
            self.fail(f"does not end: {job.stderr()}")
        for code in codes:
            self.assertNotEqual(code, 0, job.stderr())
        self.assertIn(victim, blamed(job.stderr()), job.stderr())

    def test_processes(self):
        self.check("nprocs", [[tool("all_reduce_perf"), *SWEEP, "--nprocs", str(NRANKS)]], [{}])

    def test_env(self):
        self.check_env("host")

    def test_gloo(self):
        needs_module("gloo")
        self.check_env("gloo")

    def check_env(self, backend: str) -> None:
        command = [tool("all_reduce_perf"), *SWEEP, "--backend", backend]
        job = {"WORLD_SIZE": str(NRANKS), "MASTER_ADDR": "127.0.0.1"}
        self.check(backend, [command] * NRANKS,
                   [job | {"RANK": str(rank)} for rank in range(NRANKS)])

    def test_mpi(self):
        needs("mpirun")
        self.check("mpi", [mpirun(NRANKS, tool("all_reduce_perf"), *SWEEP)], [{}])

    def test_a_job_of_threads_that_is_resumed_goes_on(self):
        rng = random.Random(f"{SEED} threads")
        for trial in range(TRIALS):
            moment = rng.uniform(0, LATEST_STOP_S)
            with self.subTest(trial=trial, moment=round(moment, 3)):
                job = subprocess.Popen([tool("all_reduce_perf"), *SWEEP, "-t", "3"], text=True,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       stdin=subprocess.DEVNULL, env=environment())
                for seconds, number in ((moment, signal.SIGSTOP), (2 * TIMEOUT_S, signal.SIGCONT),
                                        (TIMEOUT_S / 2, signal.SIGINT)):
                    time.sleep(seconds)
                    job.send_signal(number)
                _, errors = job.communicate(timeout=LIMIT_S)
                self.assertEqual(job.returncode, 130, errors)
                self.assertEqual(blamed(errors), set(), errors)


if __name__ == "__main__":
    main()
