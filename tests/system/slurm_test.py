"""srun with a real slurmctld and slurmd: with PMIx, and with linerate's own store."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from slurm import cluster
from suites import SMALL, suite, summary, tables
from support import environment, json_lines, main, needs, needs_root, rows, tool

SWEEP = ["-b", "8", "-e", "4K", "-f", "8", "-n", "5"]


def setUpModule() -> None:
    for program in ("slurmctld", "slurmd", "srun", "munged"):
        needs(program)
    needs_root()


class Srun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.running = cluster(Path(cls.folder.name), environment())
        cls.variables = cls.running.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.running.__exit__(None, None, None)
        cls.folder.cleanup()

    def srun(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run(["srun", *words], env=self.variables, capture_output=True, text=True,
                              timeout=120, stdin=subprocess.DEVNULL, check=False)

    def test_the_own_store_joins_the_tasks_of_a_step(self):
        done = self.srun("-N1", "-n2", "--mpi=none", tool("all_reduce_perf"), *SWEEP)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(rows(done.stdout)), 4, done.stdout)
        self.assertEqual(done.stdout.count("# Using devices"), 1)

    def needs_pmix(self) -> None:
        kinds = self.srun("--mpi=list")
        if "pmix" not in kinds.stdout + kinds.stderr:
            self.skipTest("this Slurm has no pmix plugin")

    def test_pmix_runs_over_mpi(self):
        self.needs_pmix()
        done = self.srun("-N2", "-n2", "--mpi=pmix", tool("all_reduce_perf"), *SWEEP)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(rows(done.stdout)), 4, done.stdout)

    def check_suite(self, *launch: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            records = Path(folder) / "suite.jsonl"
            done = self.srun(*launch, *suite(*SMALL, "--collectives", "all_reduce,scatter",
                                             "--jsonl", str(records)))
            self.assertEqual(done.returncode, 0, done.stderr)
            starts = [line for line in json_lines(records) if line["kind"] == "run"]
        self.assertEqual([len(rows(table)) for table in tables(done.stdout)], [3, 3])
        self.assertEqual(list(summary(done.stdout)), ["all_reduce", "scatter"])
        self.assertEqual([line["nranks"] for line in starts], [2, 2])
        self.assertEqual(len({line["study"] for line in starts}), 1)

    def test_the_own_store_joins_the_tasks_of_a_suite(self):
        self.check_suite("-N1", "-n2", "--mpi=none")

    def test_pmix_runs_a_suite_over_mpi(self):
        self.needs_pmix()
        self.check_suite("-N2", "-n2", "--mpi=pmix")

    def test_one_task_is_an_ordinary_run(self):
        done = self.srun("-n1", "--mpi=none", tool("all_reduce_perf"), *SWEEP, "-t", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(rows(done.stdout)), 4)


if __name__ == "__main__":
    main()
