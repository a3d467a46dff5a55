#!/usr/bin/env python3
"""linerate report: texts that are no plain words, and disks without room."""

from __future__ import annotations

import os
import unittest
from pathlib import Path

from report_case import SHORT, Report, judged
from runs import MadeUp, text_of


class OddTexts(Report):
    """Texts that pages, charts or file systems could stumble over."""

    def test_dollars_in_file_names_are_no_formulas(self) -> None:
        first = self.write("x$x^$.jsonl", MadeUp(sizes=SHORT).lines())
        second = self.write("_g.jsonl", MadeUp(run_id="r2", sizes=SHORT).lines())

        self.assert_says(self.page_of(first, second), "Speed against x$x^$", "_g")

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


class Markdown(Report):
    def text(self, *runs: Path) -> str:
        code, stderr = self.report(*runs, formats="md")
        self.assertEqual(code, 0, stderr)
        return (self.out / "report.md").read_text(encoding="utf-8")

    def test_it_has_the_answer_and_whole_tables(self) -> None:
        text = self.text(self.write("run.jsonl", judged(MadeUp(sizes=SHORT).lines())))

        self.assertIn("**✔ Yes: as fast as it should be.**", text)
        rows = [line for line in text.splitlines() if line.startswith("|")]
        self.assertIn("out of place busbw", rows[0])
        self.assertEqual({row.count("|") for row in rows}, {rows[0].count("|")})
        self.assertEqual(len(rows), 2 + len(SHORT))

    def test_bars_and_tags_of_runs_stay_text(self) -> None:
        lines = judged(MadeUp(sizes=SHORT).lines())
        for line in lines[1:-1]:
            line["bound_by"] = "a|b <i>\n# c"

        text = self.text(self.write("run.jsonl", lines))

        self.assertIn("a\\|b &lt;i>", text)
        self.assertNotIn("\n# c", text)


class Disks(Report):
    def test_a_full_disk_is_said_with_the_folder(self) -> None:
        path = self.write("run.jsonl", MadeUp(sizes=SHORT).lines())
        self.out.mkdir()
        for name, formats in (("report.html", "html"), ("report.md", "md"), ("busbw.svg", "svg"),
                              ("busbw.png", "png")):
            (self.out / name).symlink_to("/dev/full")

            code, stderr = self.report(path, formats=formats)

            self.assertEqual(code, 1, stderr)
            self.assertRegex(stderr, "cannot write .*out.*: No space left on device\\.$")

    def test_a_folder_that_cannot_be_made(self) -> None:
        self.out.write_text("a file")

        code, stderr = self.report(self.write("run.jsonl", MadeUp(sizes=SHORT).lines()))

        self.assertEqual((code, stderr.count("\n")), (2, 1), stderr)


if __name__ == "__main__":
    unittest.main()
