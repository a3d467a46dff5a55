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

from contents import Contents  # noqa: E402
from report import main  # noqa: E402
from runlog import read_runs  # noqa: E402

SHORT = (8, 1024, 1 << 20)


def judged(lines: list[Line]) -> list[Line]:
    """Each result expects nearly what it reached, and is ok."""
    for line in lines:
        if line["kind"] == "result":
            expected = line["busbw_gbps"] * 1.1
            line |= {"expected_busbw_gbps": expected, "expected_low_gbps": expected * 0.7}
            line |= {"expected_high_gbps": expected * 1.2, "bound_by": "latency"}
            line |= {"efficiency": 1 / 1.1, "verdict": "ok"}
    return lines


class Page(HTMLParser):
    """What a reader sees of a page, cells of tables, and every address that it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []  # of the bodies of tables
        self.addresses: list[str] = []
        self.ids: set[str] = set()
        self.text = ""
        self._unseen = 0
        self._in_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in ("script", "style", "title")
        self._in_cell = tag == "td"
        if tag == "tr":
            self.rows.append([])
        if self._in_cell:
            self.rows[-1].append("")
        self.addresses += [v for k, v in attrs if k in ("src", "href", "srcset", "data") and v]
        self.ids |= {v for k, v in attrs if k == "id" and v}

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in ("script", "style", "title")
        self._in_cell = self._in_cell and tag != "td"

    def handle_data(self, data: str) -> None:
        if self._unseen:
            return
        self.text += data
        if self._in_cell:
            self.rows[-1][-1] += data

    def row(self, first: str) -> list[str]:
        """The first with this text in its first cell."""
        return next(row for row in self.rows if row and row[0] == first)


class Report(unittest.TestCase):
    program = ""  # linerate, where it is to be asked for verdicts between runs

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.out = self.folder / "out"

    def report(self, *runs: Path | str, formats: str = "html",
               title: str = "") -> tuple[int, str]:
        """Exit code and stderr of a call in this process: libraries are loaded once."""
        stderr = io.StringIO()
        with contextlib.redirect_stderr(stderr):
            code = main([self.program, str(self.out), formats, title, *map(str, runs)])
        return code, stderr.getvalue()

    def html_of(self, *runs: Path | str, title: str = "") -> str:
        code, stderr = self.report(*runs, title=title)
        self.assertEqual(code, 0, stderr)
        return (self.out / "report.html").read_text(encoding="utf-8")

    def page_of(self, *runs: Path | str, title: str = "") -> Page:
        return Page(self.html_of(*runs, title=title))

    def contents_of(self, *runs: Path) -> Contents:
        return Contents([run for path in runs for run in read_runs(path)])

    def write(self, name: str, lines: list[Line]) -> Path:
        return write_run(self.folder / name, lines)

    def assert_says(self, page: Page, *texts: str) -> None:
        missing = [text for text in texts if text not in " ".join(page.text.split())]
        self.assertEqual(missing, [], f"not in the page of {len(page.text)} characters")

    def assert_refused(self, path: Path, reason: str) -> None:
        code, stderr = self.report(path)
        self.assertEqual(code, 2, stderr)
        self.assertRegex(stderr, reason)
        self.assertEqual(stderr.count("\n"), 1, stderr)
        self.assertFalse(self.out.exists())
