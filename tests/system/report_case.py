"""What the tests of linerate report share: a folder, the call, and a reader of the page."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

from runs import Line, write_run

REPORTS = Path(__file__).resolve().parents[2] / "reports"
sys.path.insert(0, str(REPORTS))

from matrices import Matrix, matrices_of  # noqa: E402, F401, for the tests of parts
from report import main  # noqa: E402
from runlog import read_runs  # noqa: E402, F401

SHORT = (8, 1024, 1 << 20)


class Page(HTMLParser):
    """Cells of the tables' bodies, and every address that the page would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.addresses: list[str] = []
        self._in_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_cell = tag == "td"
        if self._in_cell:
            self.cells.append("")
        self.addresses += [v for k, v in attrs if k in ("src", "href", "srcset", "data") and v]

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag != "td"

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.cells[-1] += data


class Report(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.out = self.folder / "out"

    def report(self, *runs: Path) -> tuple[int, str]:
        """Exit code and stderr of a call in this process: matplotlib is loaded once."""
        stderr = io.StringIO()
        with contextlib.redirect_stderr(stderr):
            code = main([*map(str, runs), "-o", str(self.out)])
        return code, stderr.getvalue()

    def page_of(self, *runs: Path) -> str:
        code, stderr = self.report(*runs)
        self.assertEqual(code, 0, stderr)
        return (self.out / "report.html").read_text(encoding="utf-8")

    def write(self, name: str, lines: list[Line]) -> Path:
        return write_run(self.folder / name, lines)

    def assert_says(self, page: str, *texts: str) -> None:
        missing = [text for text in texts if text not in page]
        self.assertEqual(missing, [], f"not in the page of {len(page)} characters")

    def assert_refused(self, path: Path, reason: str) -> None:
        code, stderr = self.report(path)
        self.assertEqual(code, 2, stderr)
        self.assertRegex(stderr, reason)
        self.assertEqual(stderr.count("\n"), 1, stderr)
        self.assertFalse(self.out.exists())
