"""memcpy_perf for the system tests: over fake GPUs of 10 GB/s, of which number 3 has a quarter."""

import tempfile
import unittest
from pathlib import Path

from gpus import LINERATE
from support import json_lines, run

MEMCPY = [LINERATE, "memcpy"]
SMALL = ["-b", "64K", "-n", "3"]
LIMIT_S = 60  # what hangs would take for ever


class FakeCopies(unittest.TestCase):
    def setUp(self):
        if not Path(LINERATE).is_file():
            self.skipTest("linerate was built without the nccl backend")

    def ended(self, code: int, *words: str, **variables: str) -> tuple[str, str, list[dict]]:
        """Output, messages and JSON Lines of a run that must end with `code`."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "copies.jsonl"
            done = run([*MEMCPY, *SMALL, *words, "--jsonl", str(file)], LIMIT_S, **variables)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout, done.stderr, json_lines(file) if file.exists() else []
