"""What the tests of the doctor's commands share: a folder for files, and the command itself."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from support import tool


class DoctorTest(unittest.TestCase):
    """`words` are the command behind `linerate`; `variables` its whole environment, or None."""

    words = ("doctor",)
    variables: dict[str, str] | None = None

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def doctor(self, *words: str, given: str = "",
               **variables: str) -> subprocess.CompletedProcess[str]:
        env = None if self.variables is None else self.variables | variables
        return subprocess.run([tool("linerate"), *self.words, *words], capture_output=True,
                              text=True, input=given, env=env, timeout=60, check=False)
