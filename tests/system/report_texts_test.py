#!/usr/bin/env python3
"""linerate report: texts that are no plain words, usage errors, and disks without room."""

from __future__ import annotations

import contextlib
import io
import os
import unittest
from pathlib import Path

from report_case import SHORT, Report, main
from runs import MadeUp, text_of


class OddTexts(Report):
    """Texts that pages, charts or file systems could stumble over."""

    def test_dollars_in_file_names_are_no_formulas(self) -> None:
        first = self.write("x$x^$.jsonl", MadeUp(sizes=SHORT).lines())
        second = self.write("_g.jsonl", MadeUp(run_id="r2", sizes=SHORT).lines())

        self.assert_says(self.page_of(first, second), "x$x^$: host", "_g: host")

    def test_halves_of_surrogate_pairs_and_control_characters(self) -> None:
        lines = MadeUp(sizes=SHORT).lines()
        lines[0] |= {"backend": "a\ud800b\x00", "cpu_model": "\udfff", "nranks": [1, {}]}
        lines[-1] |= {"exit_code": [3], "error": "\ud83d"}
        for line in lines[1:-1]:
            line["case"]["collective"] = "\x1b[31m \ud800"

        self.page_of(self.write("run.jsonl", lines))

    def test_a_name_that_is_no_text(self) -> None:
        path = self.write("run.jsonl", MadeUp(sizes=SHORT).lines())
        odd = Path(os.fsdecode(os.fsencode(self.folder) + b"/\xff\n.jsonl"))

        self.page_of(path.rename(odd))

    def test_blank_lines_are_passed_over(self) -> None:
        path = self.folder / "run.jsonl"
        path.write_text("\n" + text_of(MadeUp(sizes=SHORT).lines()) + "\r\n\n", encoding="utf-8")

        self.page_of(path)


class Usage(Report):
    def test_a_usage_error_is_one_line(self) -> None:
        for words in ([], ["--colour"], ["run.jsonl"], ["run.jsonl", "-o"]):
            stderr = io.StringIO()
            with contextlib.redirect_stderr(stderr), self.assertRaises(SystemExit) as left:
                main(words)
            self.assertEqual(left.exception.code, 2)
            self.assertEqual(stderr.getvalue().count("\n"), 1, stderr.getvalue())

    def test_a_full_disk_is_said_with_the_folder(self) -> None:
        path = self.write("run.jsonl", MadeUp(sizes=SHORT).lines())
        self.out.mkdir()
        (self.out / "busbw.png").symlink_to("/dev/full")
        code, stderr = self.report(path)

        self.assertEqual(code, 1, stderr)
        self.assertRegex(stderr, "cannot write .*out.*: No space left on device\\.$")


if __name__ == "__main__":
    unittest.main()
