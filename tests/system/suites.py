"""What the tests of linerate suite share: its command line, its tables and its summary."""

import re
import tempfile
import unittest
from pathlib import Path

from support import json_lines, tool

SMALL = ["-b", "64", "-e", "1K", "-f", "4", "-n", "5"]
TABLE = re.compile(r"(?=^# nccl-tests version )", re.M)


def suite(*words: str) -> list[str]:
    return [tool("linerate"), "suite", *words]


def tables(text: str) -> list[str]:
    """The parts of stdout, cut as docs/output-format.md says; the last one ends in the summary."""
    return TABLE.split(text)[1:]


def summary(text: str) -> dict[str, list[str]]:
    """Collective -> the words of its line."""
    lines = text[text.index("# Suite:"):].splitlines()[2:]
    return {line.split()[1]: line.split()[2:] for line in lines}


class SuiteCase(unittest.TestCase):
    """A test with a folder, and a suite's JSON Lines in it."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.jsonl = self.folder / "run.jsonl"

    def lines(self, kind: str) -> list[dict]:
        return [line for line in json_lines(self.jsonl) if line["kind"] == kind]
