"""Every way to start a trainer gives one table, from rank 0 only, and the losses of one process."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from ports import free_port
from slurm import cluster
from support import (
    environment,
    json_lines,
    main,
    mpirun,
    needs,
    needs_module,
    needs_root,
    run,
    tool,
)

WORDS = ["--deterministic", "--assert-accounting", "--steps", "3"]


class Started(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.losses = cls.losses_of(run([tool("train_ddp"), *WORDS]))

    @classmethod
    def losses_of(cls, done: subprocess.CompletedProcess) -> list[str]:
        assert done.returncode == 0, done.stderr
        rows = [line.split() for line in done.stdout.splitlines() if not line.startswith("#")]
        assert [row[0] for row in rows] == ["1", "2", "3"], done.stdout
        return [row[1] for row in rows]

    def check(self, done: subprocess.CompletedProcess, nranks: int) -> None:
        self.assertEqual(self.losses_of(done), self.losses)
        self.assertIn(f", {nranks} ranks, ", done.stdout)

    def test_by_env_as_torchrun_does(self):
        variables = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
        for program in ("train_ddp", "train_fsdp"):
            command = [tool(program), *WORDS]
            other = subprocess.Popen(command, text=True, stdout=subprocess.PIPE,
                                     stdin=subprocess.DEVNULL,
                                     env=environment(RANK="1", LOCAL_RANK="1", **variables))
            self.check(run(command, RANK="0", LOCAL_RANK="0", **variables), 2)
            self.assertEqual((other.communicate(timeout=60)[0], other.returncode), ("", 0))

    def test_by_mpirun_over_mpi_and_over_host_memory(self):
        needs_module("mpi")
        self.check(run(mpirun(2, tool("train_ddp"), *WORDS)), 2)
        self.check(run(mpirun(3, tool("train_fsdp"), *WORDS)), 3)
        self.check(run(mpirun(2, tool("train_fsdp"), *WORDS, "--backend", "host", "-t", "2")), 4)

    def test_by_processes_over_gloo(self):
        needs_module("gloo")
        self.check(run([tool("train_fsdp"), *WORDS, "--nprocs", "2", "--backend", "gloo"]), 2)

    def test_and_is_refused_where_processes_have_other_words(self):
        done = run(["mpirun", "--allow-run-as-root", "--oversubscribe",
                    "-np", "1", tool("train_ddp"), *WORDS, ":",
                    "-np", "1", tool("train_ddp"), *WORDS, "--batch", "4"])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--batch", done.stderr)


class Srun(unittest.TestCase):
    def setUp(self):
        for program in ("slurmctld", "slurmd", "srun", "munged"):
            needs(program)
        needs_root()

    def test_joins_the_tasks_of_a_step_and_over_mpi(self):
        with tempfile.TemporaryDirectory() as folder, \
                cluster(Path(folder), environment()) as variables:
            kinds = ["none"]
            listed = self.srun(variables, "--mpi=list")
            if "pmix" in listed.stdout + listed.stderr:
                kinds.append("pmix")
            losses = []
            for kind in kinds:
                jsonl = Path(folder) / f"{kind}.jsonl"
                done = self.srun(variables, "-N1", "-n2", f"--mpi={kind}", tool("train_fsdp"),
                                 *WORDS, "--jsonl", str(jsonl))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.count("# train_fsdp: "), 1)
                lines = json_lines(jsonl)
                self.assertEqual(lines[0]["nranks"], 2)
                losses.append([line["loss"] for line in lines if line["kind"] == "step"])
            self.assertTrue(all(one == losses[0] and len(one) == 3 for one in losses), losses)

    def srun(self, variables: dict[str, str], *words: str) -> subprocess.CompletedProcess:
        return subprocess.run(["srun", *words], env=variables, capture_output=True, text=True,
                              timeout=120, stdin=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    main()
