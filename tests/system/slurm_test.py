"""srun with a real slurmctld and slurmd: with PMIx, and with linerate's own store."""

import json
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from slurm import cluster, stacks_of
from suites import SMALL, suite, summary, tables
from support import BIN, environment, json_lines, main, needs, needs_root, rows, tool

SWEEP = ["-b", "8", "-e", "4K", "-f", "8", "-n", "5"]
STEP_LIMIT_S = 100


def setUpModule() -> None:
    for program in ("slurmctld", "slurmd", "srun", "munged"):
        needs(program)
    needs_root()


def said(done: subprocess.CompletedProcess) -> list[str]:
    """What the program wrote to stderr: not srun's words on a queue, which other jobs make."""
    return [line for line in done.stderr.splitlines() if not line.startswith("srun: ")]


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
        """A step that hangs fails with what it said, and with where each of its processes waits."""
        with subprocess.Popen(["srun", *words], env=self.variables, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as step:
            try:
                out, error = step.communicate(timeout=STEP_LIMIT_S)
            except subprocess.TimeoutExpired:
                waiting = stacks_of("slurmstepd", str(BIN))
                step.terminate()
                out, error = step.communicate()
                self.fail(f"{step.args} hangs\n{out}\n{error}\n{waiting}\n{self.logs()}")
        return subprocess.CompletedProcess(step.args, step.returncode, out, error)

    def logs(self) -> str:
        """The last lines of each daemon of the test cluster."""
        return "\n".join(f"{log.name}:\n" + "\n".join(log.read_text().splitlines()[-10:])
                         for log in Path(self.folder.name).glob("*.log"))

    def test_the_own_store_joins_the_tasks_of_a_step(self):
        done = self.srun("-N1", "-n2", "--mpi=none", tool("all_reduce_perf"), *SWEEP)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(rows(done.stdout)), 4, done.stdout)
        self.assertEqual(done.stdout.count("# Using devices"), 1)

    def check_doctor(self, *words: str) -> None:
        """Both nodes of this cluster are one host, which is read once."""
        done = self.srun(*words, tool("linerate"), "doctor", "--json", "--only", "shm-size")
        self.assertEqual((done.returncode, said(done)), (0, []))
        self.assertEqual([node["node"] for node in json.loads(done.stdout)["nodes"]],
                         [socket.gethostname()])
        with tempfile.TemporaryDirectory() as folder:
            done = self.srun(*words, tool("linerate"), "doctor", "snapshot", "-o", folder + "/new")
            self.assertEqual((done.returncode, said(done)), (0, []))
            self.assertEqual(len(list(Path(folder).glob("new/*.json"))), 1)

    def test_the_doctor_reads_each_host_once_over_the_own_store(self):
        self.check_doctor("-N1", "-n3", "--mpi=none")

    def needs_pmix(self) -> None:
        kinds = self.srun("--mpi=list")
        if "pmix" not in kinds.stdout + kinds.stderr:
            self.skipTest("this Slurm has no pmix plugin")

    def test_the_doctor_reads_each_host_once_over_mpi(self):
        self.needs_pmix()
        self.check_doctor("-N2", "-n4", "--mpi=pmix")

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
