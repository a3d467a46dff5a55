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

from report_case import Report, judged
from runs import Line, MadeUp, pair_lines

from contents import Contents  # isort: skip, report_case tells where it is
from curve_chart import draw_panel  # isort: skip
from page import write_markdown, write_page  # isort: skip
from quantities import QUANTITIES  # isort: skip
from runlog import BadInput, read_runs  # isort: skip
from scene import Area, Stroke  # isort: skip
TRIALS = 200
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
        other = judged(MadeUp(run_id="r2", sizes=(8, 1 << 20)).lines())
        other[0]["environment"] = ["NCCL_ALGO=Tree"]
        self.whole = [*judged(MadeUp(sizes=(8, 1 << 20), types=("float", "int8")).lines()),
                      *other, *pair_lines(3)]
        self.whole[1] |= {"late_us": [0.1, 0.2], "algorithm": "RING", "arrival_skew_us": 0.1,
                          "copy": {"engine": "ce", "row": "host", "column": "gpu0"}}
        self.whole.insert(3, {"kind": "finding", "run_id": "r1", "rule": "late_rank",
                              "subject": "rank 1", "evidence": "late", "severity": "warning"})

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
        contents = Contents(runs)
        for panel in contents.drawings.panels:
            for quantity in QUANTITIES:
                shapes = draw_panel(panel, quantity, log=True).shapes
                points = [xy for s in shapes if isinstance(s, (Area, Stroke)) for xy in s.points]
                self.assertTrue(all(-1 < v < 1000 for xy in points for v in xy), points)
        write_page(contents, self.folder / "report.html")
        write_markdown(contents, self.folder / "report.md")
        self.assertLess((self.folder / "report.html").stat().st_size, 4 << 20)
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
            code, stderr = self.report(path, formats="svg,png")
            self.assertEqual(code, 0, (text, stderr))
            self.assertNotIn("Traceback", stderr)


if __name__ == "__main__":
    unittest.main()
