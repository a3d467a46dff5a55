"""linerate scale starts the ranks of each run through mpirun, and through srun."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from slurm import cluster
from support import (
    environment,
    json_lines,
    lacks,
    main,
    mpirun,
    needs,
    needs_module,
    needs_root,
    tool,
)

LIMIT_S = 100


def setUpModule() -> None:
    if not Path(tool("train_ddp")).exists():
        lacks("no trainers: they were not built")


class Launchers(unittest.TestCase):
    def study_through(self, start: str, variables: dict[str, str]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [tool("linerate"), "scale", "-o", folder, "--layout", "train_ddp",
                 "--ranks", "1,2", "--start", start, "--repeat", "1", "--control", "off",
                 "--batch", "2", "--steps", "1", "--options", "--model nano"],
                env=variables, capture_output=True, text=True, timeout=LIMIT_S, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            runs = json_lines(Path(folder) / "runs.jsonl")
        self.assertEqual(sorted((line["nranks"], line["outcome"]) for line in runs),
                         [(1, "ok"), (2, "ok")])

    def test_mpirun(self):
        needs_module("mpi")
        self.study_through(" ".join(mpirun(2)).replace("-np 2", "-np {ranks}"), environment())

    def test_srun(self):
        for program in ("slurmctld", "slurmd", "srun", "munged"):
            needs(program)
        needs_root()
        with (tempfile.TemporaryDirectory() as folder,
              cluster(Path(folder), environment()) as variables):
            self.study_through("srun -N1 -n{ranks} --mpi=none", variables)


if __name__ == "__main__":
    main()
