#!/usr/bin/env python3
"""Tests of the generated page: every competitor, every number with its mark, missed targets."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

from made_up import block, case, cell, results

from cells import cell_of, line_of
from page import page_text
from results import Results

RUN = {"kind": "run", "schema": 1, "cpu_model": "Made-up CPU", "ncores": 2, "virtual": True,
       "caches": {"L1d": "32K", "L3": "32M"}, "memory_bytes": 24 << 30, "huge_pages": "madvise",
       "kernel": "6.1", "pool_bytes": {"2": 1 << 30}, "start_time": "2026-01-02T03:04:05+00:00"}
LIMITS = {"kind": "limits", "when": "start", "nthreads": 2, "flag_ns": 61.5, "nt_write_gbps": 27.1}
OVERHEAD = {"kind": "overhead", "nranks": 1, "bytes": 8, "added_ns": 8.0, "ci95_low_ns": 7.5,
            "ci95_high_ns": 8.5}


def made() -> Results:
    small = case(64)
    found = results(cell(small, "threads", 1.0, 1.1, 1.0, 1.0, 1.2),
                    cell(small, "processes", 2.0, 2.0, 9.0, 9.0, 9.0),
                    cell(small, "mpich", 4.0, 4.0, 4.0, 4.0, 4.0))
    for line in (RUN, LIMITS, OVERHEAD, {"kind": "end", "took_s": 500},
                 {"kind": "competitor", "competitor": "mpich", "version": "MPICH 4.0.2"},
                 {"kind": "lost", "competitor": "gloo", "reason": "it is not installed"}):
        found.add(line)
    return found


class Page(unittest.TestCase):
    def row(self, start: str) -> list[str]:
        line = next(line for line in page_text(made(), "host.png").splitlines()
                    if line.startswith(start))
        return [text.strip() for text in line.strip("|").split("|")]

    def test_says_who_took_part_and_why_others_did_not(self):
        self.assertEqual(self.row("| mpich")[-1], "MPICH 4.0.2")
        self.assertEqual(self.row("| gloo")[-1], "left out: it is not installed")

    def test_a_met_and_a_missed_target_stand_side_by_side(self):
        row = self.row("| 2 ranks, warm | all_reduce | ≤ 4 KiB")

        self.assertTrue(row[4].startswith("4.00 ["), row)
        self.assertTrue(row[4].endswith("at 64 B, met"), row)
        self.assertTrue(row[5].endswith("at 64 B, **missed**"), row)

    def test_a_disturbed_median_is_marked(self):
        row = self.row("| 64 B")

        self.assertEqual(row[1:3], ["1.00 µs / 1.00 µs", "9.00 µs* / 2.00 µs"])
        self.assertEqual(row[4:6], ["mpich", "4.00 µs / 4.00 µs"])

    def test_a_block_within_which_the_machine_changed_is_named(self):
        found = made()
        found.add(block(steady=False))

        self.assertIn("changed within these blocks: all_reduce, 2 ranks, warm, out of place.",
                      page_text(found, "host.png"))

    def test_takes_in_a_persons_notes(self):
        self.assertIn("Because of this.", page_text(made(), "host.png", "Because of this.\n"))


class JsonLines(unittest.TestCase):
    def test_a_cell_comes_back_as_it_was_written(self):
        written = cell(case(4096, cold=True), "gloo", 1.5, 2.5)

        self.assertEqual(cell_of(json.loads(json.dumps(line_of(written)))), written)

    def test_a_page_from_a_file_is_the_page_of_the_run(self):
        lines = [RUN, line_of(cell(case(), "threads", 1.0)), block(), {"kind": "end", "took_s": 1}]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "bench.jsonl")
            file.write_text("".join(json.dumps(line) + "\n" for line in lines))

            again = Results.read(file)

        self.assertEqual(page_text(again, "p.png"), page_text(Results(lines), "p.png"))


if __name__ == "__main__":
    unittest.main()
