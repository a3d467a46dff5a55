#!/usr/bin/env python3
"""linerate report: what it says of several runs is what linerate compare says."""

from __future__ import annotations

import json
import subprocess
import unittest
from pathlib import Path

from report_case import SHORT, Report
from runs import Line, MadeUp, pair_lines
from support import tool


class BetweenRuns(Report):
    program = tool("linerate")

    def side(self, name: str, slower: float = 1.0, nruns: int = 6, sizes: tuple[int, ...] = SHORT
             ) -> Path:
        """Runs that differ by up to 1.5 %; the last size takes `slower` times as long."""
        lines: list[Line] = []
        for repeat in range(nruns):
            run = MadeUp(run_id=f"{name}{repeat}", sizes=sizes, noise=0).lines()
            run[0] |= {"study": name, "repeat": repeat}
            for line in run[1:-1]:
                factor = 1 + repeat * 0.003
                if line["case"]["bytes"] == sizes[-1]:
                    factor *= slower
                line["window"]["time_us"] *= factor
                line["busbw_gbps"] /= factor
                for key in ("min", "median", "max", "ci95_low", "ci95_high"):
                    line["samples_us"][key] *= factor
            lines += run
        return self.write(f"{name}.jsonl", lines)

    def test_each_case_has_its_verdict_effect_and_interval(self) -> None:
        sides = self.side("old"), self.side("new", slower=1.25)
        done = subprocess.run([self.program, "compare", *sides, "--json"], capture_output=True,
                              text=True, check=True)

        page = self.page_of(*sides)

        cases = json.loads(done.stdout)["cases"]
        self.assertEqual([case["verdict"] for case in cases], ["SAME"] * 4 + ["SLOWER"] * 2)
        said = [[case["verdict"], f"{case['ratio']:.3f} [{case['ci95_low']:.3f}, "
                 f"{case['ci95_high']:.3f}]"] for case in cases]
        heads = ("size", "placement", "GB/s", "GB/s", "speed", "verdict", "B/A")
        self.assertIn("".join(heads), page.text)
        self.assertEqual([row[-2:] for row in page.rows if len(row) == len(heads)], said)
        self.assert_says(page, "linerate compare (A: old, 6 runs; B: new, 6 runs): SLOWER in 2, "
                               "SAME in 4 of 6 cases.",
                         "Most in all_reduce, 1 MiB, out of place: 1.25", "Few runs: to find",
                         "by the median of each run's samples")

    def test_too_few_runs_have_no_verdict_but_the_reason(self) -> None:
        page = self.page_of(self.side("old", nruns=1), self.side("new", slower=1.25, nruns=1))

        self.assert_says(page, "(A: old, 1 run; B: new, 1 run): UNSURE in 6 of 6 cases.",
                         "fewer than 5 of each side nothing can be SLOWER or FASTER.")
        self.assertEqual(page.row("1 MiB")[-1], "−20 %")

    def test_only_the_runs_of_a_side_count(self) -> None:
        both = self.folder / "both.jsonl"
        both.write_text("".join(self.side(name, slower).read_text()
                                for name, slower in (("old", 1.0), ("new", 1.25))))
        text = both.read_text().replace('"args":["all_reduce_perf"', '"args":["x","--algo","y"', 6)
        both.write_text(text)

        self.assert_says(self.page_of(both), "6 runs; B: ", "6 runs): SLOWER in 2, SAME in 4")

    def test_a_suite_counts_its_repetitions_not_its_tools(self) -> None:
        sides = []
        for name in ("old", "new"):
            path = self.side(name)
            other = path.read_text().replace("all_reduce", "broadcast")
            path.write_text(path.read_text() + other.replace(f'"{name}', f'"b{name}'))
            sides.append(f"{name}={path}")

        self.assert_says(self.page_of(*sides), "(A: old, 6 runs; B: new, 6 runs): SAME in 12 of 12")

    def test_what_is_not_the_same_thing_is_not_judged(self) -> None:
        other = self.folder / "other.jsonl"
        other.write_text(self.side("new").read_text().replace('"nranks":2', '"nranks":4'))

        page = self.page_of(self.side("old"), other)

        self.assert_says(page, "linerate compare has no verdict (A: old: ", "of the same thing")

    def test_pairs_are_compared_too(self) -> None:
        sides = []
        for name, slower in (("a", 1), ("b", 2)):
            lines = [line | {"run_id": f"{name}{n}"} for n in range(6) for line in pair_lines(2)]
            for line in lines:
                if line["kind"] == "result" and line["case"]["pair"] == [1, 0]:
                    line["samples_us"]["median"] *= slower
                    line["samples_us"]["ci95_high"] *= slower
            sides.append(f"{name}={self.write(f'{name}.jsonl', lines)}")

        page = self.page_of(*sides)

        self.assert_says(page, "linerate compare (A: a, 6 runs; B: b, 6 runs): SLOWER in 1, SAME "
                               "in 3 of 4 cases.",
                         "Most in p2p_unidirectional, 64 MiB, ranks 1 and 0: 2.000")
        self.assertNotIn("no result in common", page.text)

    def test_a_page_comes_also_where_nobody_can_be_asked(self) -> None:
        sides = self.side("old"), self.side("new")
        for program, said in (("", "linerate compare says which differences are real."),
                              ("/nowhere/linerate", "No such file"), ("/bin/false", "no verdict"),
                              ("/bin/echo", "no verdict")):
            self.program = program

            self.assert_says(self.page_of(*sides), said, "Speed against old")


if __name__ == "__main__":
    unittest.main()
