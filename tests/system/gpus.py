"""The tools on GPUs for the system tests: over fakes of CUDA and NCCL, which move real data."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import json_lines, rows, run

LINERATE = os.environ.get("LINERATE_FAKE_GPUS", "")
SMALL = ("-b", "1K", "-e", "4K", "-f", "2", "-n", "5")


def on_gpus(collective: str, *words: str, **variables: str) -> subprocess.CompletedProcess:
    return run([LINERATE, collective, "--backend", "nccl", *words], **variables)


class GpuRun(unittest.TestCase):
    def setUp(self):
        if not Path(LINERATE).is_file():
            self.skipTest("linerate was built without the nccl backend")

    def assert_good(self, done: subprocess.CompletedProcess, nrows: int) -> None:
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(rows(done.stdout)), nrows, done.stdout)
        for row in rows(done.stdout):
            self.assertIn(row.out_of_place[3], ("0", "N/A"), done.stdout)
            self.assertIn(row.in_place[3], ("0", "N/A"), done.stdout)

    def record(self, *words: str, **variables: str) -> list[dict]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.jsonl"
            done = on_gpus(*words, "--jsonl", str(file), **variables)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json_lines(file)
