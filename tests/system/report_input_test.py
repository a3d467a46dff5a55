#!/usr/bin/env python3
"""linerate report: inputs that are torn, or refused with one sentence and exit code 2."""

from __future__ import annotations

import unittest
from pathlib import Path

from report_case import SHORT, Report
from runs import Line, MadeUp, text_of


class Refusals(Report):
    def text(self, text: str | bytes) -> Path:
        path = self.folder / "run.jsonl"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def changed(self, **changes: object) -> list[Line]:
        lines = MadeUp(sizes=SHORT).lines()
        lines[2] |= changes
        return lines

    def test_missing_and_empty_files(self) -> None:
        self.assert_refused(self.folder / "none.jsonl", "none.jsonl is not a file")
        self.assert_refused(self.folder, "is a folder: give the files in it")
        self.assert_refused(self.text(""), "is empty")

    def test_foreign_files(self) -> None:
        for text in ("hello\n", "[1,2]\n", '{"a":1}\n', b"\xff\xfe\x00\n", "[" * 100_000 + "\n"):
            self.assert_refused(self.text(text), "is not linerate's JSON Lines: line 1: ")
        self.assert_refused(self.text("\n# OSU MPI Latency Test v7.4\n"), "linerate compare reads")

    def test_a_line_is_named_once(self) -> None:
        lines = text_of(MadeUp(sizes=SHORT).lines()).splitlines(keepends=True)
        cases = (("x\n", "line 3: Expecting value\\.$"), ("\xff\n", "no text in UTF-8"))
        for wrong, reason in cases:
            text = "".join([*lines[:2], wrong, *lines[3:]])
            self.assert_refused(self.text(text.encode("latin-1")), reason)

    def test_a_run_without_results(self) -> None:
        lines = MadeUp(sizes=SHORT).lines()
        self.assert_refused(self.write("run.jsonl", lines[:1]), "no result")

    def test_results_without_their_run(self) -> None:
        lines = MadeUp(sizes=SHORT).lines()

        self.assert_refused(self.write("run.jsonl", lines[1:]), "line 1: its run_id r1 has no run")

    def test_another_schema(self) -> None:
        lines = MadeUp(sizes=SHORT).lines()
        lines[0]["schema"] = 99

        self.assert_refused(self.write("run.jsonl", lines), "line 1: schema 99 is not")

    def test_values_of_the_wrong_kind(self) -> None:
        for key, value, reason in (
            ("busbw_gbps", "fast", "busbw_gbps is not a number"),
            ("busbw_gbps", float("nan"), "busbw_gbps is not a number"),
            ("algbw_gbps", True, "algbw_gbps is not a number"),
            ("case", {"collective": "all_reduce"}, "'root' is missing"),
            ("expected_busbw_gbps", "much", "expected_busbw_gbps is not a number"),
            ("copy", 3, "copy is not an object"),
            ("samples_us", {"median": 1}, "samples_us.n is not a number"),
            ("samples_us", {"median": 1, "n": 9, "ci95_low": 1}, "ci95_high is not a number"),
        ):
            path = self.write("run.jsonl", self.changed(**{key: value}))
            self.assert_refused(path, reason)

    def test_values_out_of_range(self) -> None:
        case = MadeUp(sizes=SHORT).lines()[2]["case"]
        for changes, reason in (
            ({"window": {"time_us": 0}}, "window.time_us is 0, which no call takes"),
            ({"window": {"time_us": -5}}, "window.time_us is -5"),
            ({"busbw_gbps": 10**400}, "busbw_gbps is not a number that can be drawn"),
            ({"samples_us": {"median": 1, "n": 9, "ci95_low": 2, "ci95_high": 3}}, "interval"),
            ({"expected_busbw_gbps": 9, "expected_low_gbps": 8, "expected_high_gbps": 7}, "above"),
            ({"case": case | {"bytes": -8}}, "case.bytes is not between 0 and"),
            ({"case": case | {"collective": "x" * 100_000}}, "case.collective is not a text"),
            ({"case": case | {"placement": "beside"}}, "case.placement is neither"),
        ):
            with self.subTest(reason=reason):
                self.assert_refused(self.write("run.jsonl", self.changed(**changes)), reason)

    def test_pairs_that_are_none(self) -> None:
        case = MadeUp(sizes=SHORT).lines()[2]["case"]
        for pair in ([1], [-1, -5], [0, 60_000], [0, 1e9], [0, "1"], 3, [0, True]):
            with self.subTest(pair=pair):
                path = self.write("run.jsonl", self.changed(case=case | {"pair": pair}))
                self.assert_refused(path, "case.pair is not (a|between)")

    def test_lines_of_other_kinds_are_passed_over(self) -> None:
        lines = MadeUp(sizes=SHORT).lines()
        lines.insert(1, {"kind": "step", "loss": 2.5})
        lines.insert(1, {"kind": "finding", "rule": "degraded-link"})  # a machine's

        self.page_of(self.write("run.jsonl", lines))


class Damage(Report):
    def test_a_torn_last_line_is_left_out_and_said(self) -> None:
        path = self.write("run.jsonl", MadeUp(sizes=SHORT, finished=False).lines())
        whole = path.read_bytes()

        for cut in (1, 2, 100, 300):
            path.write_bytes(whole[:-cut])
            page = self.page_of(path)
            self.assert_says(page, "the run did not finish: it has no end line after")
            self.assertEqual("its last line is torn" in page.text, cut > 1)

    def test_a_broken_line_inside_is_refused_by_number(self) -> None:
        lines = text_of(MadeUp(sizes=SHORT).lines()).splitlines(keepends=True)
        path = self.folder / "run.jsonl"
        path.write_text("".join([*lines[:2], lines[2][:50] + "\n", *lines[3:]]), encoding="utf-8")

        self.assert_refused(path, r"is not linerate's JSON Lines: line 3: ")


if __name__ == "__main__":
    unittest.main()
