"""What the tests of linerate sweep share: a small study, and what its file holds."""

import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import run, tool

LINERATE = tool("linerate")
QUICK = "-n 1 -w 0 --expect off --stop max=0.01s"  # of every run


class Sweeps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.db = self.folder / "night.db"

    def study(self, text: str) -> Path:
        path = self.folder / "night.yaml"
        path.write_text(text + f"options: {QUICK}\n" if "options:" not in text else text)
        return path

    def sweep(self, *words: str, **variables: str) -> subprocess.CompletedProcess:
        return run([LINERATE, "sweep", *words, "--seed", "1"], **variables)

    def results(self, *words: str) -> subprocess.CompletedProcess:
        return run([LINERATE, "results", str(self.db), *words])

    def query(self, sql: str) -> list[tuple]:
        connection = sqlite3.connect(self.db)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def planned(self, study: Path, *words: str) -> list[str]:
        done = self.sweep(str(study), "--dry-run", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in done.stdout.splitlines() if not line.startswith("#")]
