"""What the tests of a study's page share: a file as linerate sweep makes it, and the call."""

from __future__ import annotations

import contextlib
import io
import json
import sqlite3
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "reports"))

from report import main  # noqa: E402
from study_data import Study  # noqa: E402
from study_file import read_study  # noqa: E402

CASES = ("id INTEGER PRIMARY KEY, command, outcome, reason, algorithm, backend, start, variables, "
         "start_time, study, hostname, version, records")
RESULTS = ("case_id, collective, type, redop, root, placement, bytes, nranks, nnodes, time_us, "
           "busbw_gbps, wrong")


class StudyCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "night.db"
        self.file = sqlite3.connect(self.path)
        self.file.execute(f"PRAGMA application_id = {0x4c4e5254}")
        self.file.execute("PRAGMA user_version = 1")
        self.file.execute(f"CREATE TABLE cases ({CASES})")
        self.file.execute(f"CREATE TABLE results ({RESULTS})")

    def case(self, variables: dict[str, str | None], times: dict[int, float], *,
             kind: str = "float", outcome: str = "ok", nodes: int = 1, ranks: int = 2, day: int = 1,
             wrong: int = 0) -> None:
        """`times`: microseconds by size."""
        number = self.file.execute(
            "INSERT INTO cases VALUES (NULL, ?, ?, 'because', '', 'host', '', ?, ?, 'night', 'h', "
            "'0.1', '')", (f"run <{nodes}>", outcome, json.dumps(variables),
                           f"2026-11-{day:02}T10:00:00Z")).lastrowid
        for size, time_us in times.items():
            self.file.execute(
                f"INSERT INTO results VALUES ({', '.join('?' * 12)})",
                (number, "all_reduce", kind, "sum", -1, "out_of_place", size, ranks * nodes,
                 nodes, time_us, size / time_us / 1e3, wrong))

    def study(self) -> Study:
        self.file.commit()
        return read_study(self.path)

    def call(self, *words: str) -> tuple[int, str]:
        self.file.commit()
        out = io.StringIO()
        with contextlib.redirect_stderr(out):
            code = main(["", str(self.folder), *words])
        return code, out.getvalue()
