#!/usr/bin/env python3
"""linerate report: damaged and hostile lines, the same each time, end in a sentence."""

from __future__ import annotations

import copy
import json
import random
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from report_case import Report
from runs import Line, MadeUp, pair_lines

from page import write_page  # isort: skip, report_case tells where it is
from panels import panels_of  # isort: skip
from quantities import BUSBW, LATENCY  # isort: skip
from runlog import BadInput, read_runs  # isort: skip
from series import curves_of  # isort: skip
from matrices import matrices_of  # isort: skip

TRIALS = 400
DRAWN = 4  # whole reports: charts take most of a second
HOSTILE = (
    None, True, False, 0, -1, 1, 0.5, -0.0, 1e-320, 1e308, -1e308, 2**31, 2**63, 10**400, 60_000,
    float("nan"), float("inf"), "", "x", "\ud800", "\udfff\ud800", "$\\frac$", "$x^$", "\x00\n\x1b",
    "_", "<script>", "{{ 7 }}", "x" * 100_000, "\u202e", [], [1], [-1, -5], [0, 60_000], [0, 10**9],
    [[[]]], {}, {"": {}}, {"a": [1, {"b": None}]}, "in_place", "p2p_latency",
)  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of a JSON value with each of its keys or indices."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from places(value[key])


class Fuzz(Report):
    def setUp(self) -> None:
        super().setUp()
        self.random = random.Random(20240501)
        self.whole = [*MadeUp(sizes=(8, 1 << 20), types=("float", "int8")).lines(), *pair_lines(3)]

    def mutated(self) -> bytes:
        lines: list[Line] = copy.deepcopy(self.whole)
        for _ in range(self.random.randint(1, 3)):
            at = self.random.randrange(len(lines))
            container, key = self.random.choice(list(places(lines[at])))
            edit = self.random.random()
            if edit < 0.7:
                container[key] = self.random.choice(HOSTILE)
            elif edit < 0.9:
                del container[key]
            else:
                lines.insert(at, copy.deepcopy(self.random.choice(lines)))
        text = "".join(json.dumps(line) + "\n" for line in lines).encode()
        return text if self.random.random() < 0.7 else self.damaged(text)

    def damaged(self, text: bytes) -> bytes:
        data = bytearray(text)
        for _ in range(self.random.randint(1, 3)):
            data[self.random.randrange(len(data))] = self.random.randrange(256)
        end = self.random.randint(1, len(data)) if self.random.random() < 0.3 else len(data)
        return bytes(data[:end])

    def read_all(self, path: Path) -> bool:
        """All that a report does but the drawing. Whether the file was taken."""
        try:
            runs = read_runs(path)
        except BadInput as problem:
            self.assertLess(len(str(problem)), 2000)
            self.assertNotIn("\n", str(problem))
            return False
        for panel in panels_of(curves_of(runs)):
            for curve in panel.curves:
                for quantity in (BUSBW, LATENCY):
                    band = quantity.band(curve.points)
                    self.assertTrue((band.low <= band.high).all(), curve)
        for matrix in matrices_of(runs):
            self.assertLess(matrix.values.size, 2 << 20)
        self.out.mkdir(exist_ok=True)
        write_page(runs, [], self.out / "report.html")
        return True

    def test_no_line_makes_it_crash(self) -> None:
        path, taken = self.folder / "run.jsonl", 0
        for trial in range(TRIALS):
            path.write_bytes(text := self.mutated())
            try:
                taken += self.read_all(path)
            except Exception as error:
                raise AssertionError(f"trial {trial}: {text[:3000]!r}") from error
        self.assertGreater(taken, TRIALS // 10)
        self.assertLess(taken, TRIALS * 9 // 10)

    def test_what_was_taken_is_drawn(self) -> None:
        path, drawn = self.folder / "run.jsonl", 0
        while drawn < DRAWN:
            path.write_bytes(text := self.mutated())
            if not self.read_all(path):
                continue
            drawn += 1
            code, stderr = self.report(path)
            self.assertEqual((code, stderr.count("\n")), (0, 1), (text, stderr))


if __name__ == "__main__":
    unittest.main()
