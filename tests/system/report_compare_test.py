#!/usr/bin/env python3
"""linerate report: which runs are one side, what sides are called, and what changed."""

from __future__ import annotations

import unittest
from pathlib import Path

from report_case import SHORT, Report
from runs import Line, MadeUp


class Sides(Report):
    def labels(self, *paths: Path) -> list[str]:
        return [side.label for side in self.contents_of(*paths).sides]

    def test_several_files_are_told_apart_by_folder_backend_and_ranks(self) -> None:
        host = self.write("a/run.jsonl", MadeUp(sizes=SHORT).lines())
        mpi = self.write("b/run.jsonl", MadeUp(sizes=SHORT, backend="mpi", nranks=4).lines())

        self.assertEqual(self.labels(host, mpi), ["a/run: host, 2 ranks", "b/run: mpi, 4 ranks"])

    def test_the_same_command_again_is_a_repetition(self) -> None:
        lines = [line for n in range(3) for line in MadeUp(run_id=f"r{n}", sizes=SHORT).lines()]

        sides = self.contents_of(self.write("run.jsonl", lines)).sides

        self.assertEqual([side.repeats for side in sides], [3])

    def test_other_commands_or_variables_in_the_same_file_are_sides(self) -> None:
        other = MadeUp(run_id="r2", sizes=SHORT).lines()
        other[0]["args"] = [*other[0]["args"], "--algo", "tree"]
        third = MadeUp(run_id="r3", sizes=SHORT).lines()
        third[0]["environment"] = ["NCCL_ALGO=Tree"]

        labels = self.labels(self.write("run.jsonl", MadeUp(sizes=SHORT).lines() + other + third))

        self.assertEqual(len(labels), 3)
        self.assertIn("--algo tree", labels[1])
        self.assertIn("NCCL_ALGO=Tree", labels[2])

    def test_a_suite_is_one_side_by_study_or_by_file(self) -> None:
        lines: list[Line] = []
        for number, name in enumerate(("all_reduce", "broadcast", "reduce")):
            run = MadeUp(run_id=f"r{number}", collective=name, sizes=SHORT).lines()
            run[0]["args"] = [f"{name}_perf", "-e", str(number)]
            lines += run

        (side,) = self.contents_of(self.write("suite.jsonl", lines)).details

        overview = side.overview
        self.assertEqual([name for name, _ in overview.groups][1:],
                         ["all_reduce", "broadcast", "reduce"])
        self.assertEqual([row[0].text for row in overview.rows], ["8 B", "1 KiB", "1 MiB"])

    def test_repetitions_of_a_study_may_be_files(self) -> None:
        paths = []
        for number in (1, 2):
            lines = MadeUp(run_id=f"r{number}", sizes=SHORT).lines()
            lines[0] |= {"study": "s1", "repeat": number}
            lines[0]["args"] += ["--jsonl", f"{number}.jsonl"]
            paths.append(self.write(f"{number}.jsonl", lines))

        self.assertEqual(len(self.contents_of(*paths).sides), 1)

    def test_names_that_the_user_gives_make_sides(self) -> None:
        paths = [self.write(f"{n}.jsonl", MadeUp(run_id=f"r{n}", sizes=SHORT, gbps=12 - n).lines())
                 for n in range(3)]

        page = self.page_of(f"old={paths[0]}", f"new={paths[1]}", f"new={paths[2]}")

        self.assert_says(page, "Speed against old: ", "all_reduce on node01, 2 compared")


class Changes(Report):
    def test_the_ratio_of_each_case_is_that_of_its_windows(self) -> None:
        before, after = (MadeUp(sizes=(1 << 20,), noise=0).lines() for _ in range(2))
        for line in after[1:-1]:
            line["window"]["time_us"] *= 1.25
            line["busbw_gbps"] /= 1.25

        page = self.page_of(self.write("before.jsonl", before), self.write("after.jsonl", after))

        self.assert_says(page, "What changed?", "Speed against before: −20 % in the median of 2")
        self.assertEqual(page.row("1 MiB")[-1], "−20 %")

    def test_environments_are_compared_first(self) -> None:
        other = MadeUp(run_id="r2", sizes=SHORT).lines()
        other[0] |= {"version": "0.2.0", "environment": ["NCCL_ALGO=Tree"],
                     "machine": {"governor": "powersave"}}

        first = self.write("a.jsonl", MadeUp(sizes=SHORT).lines())

        expected = {"linerate": ["0.1.0", "0.2.0"], "NCCL_ALGO": ["", "Tree"],
                    "machine, governor": ["", "powersave"]}
        found = dict(self.contents_of(first, self.write("b.jsonl", other)).differences)
        self.assertEqual({key: found.get(key) for key in expected}, expected)

    def test_runs_without_a_case_in_common_are_not_compared(self) -> None:
        page = self.page_of(self.write("a.jsonl", MadeUp(sizes=(8,)).lines()),
                            self.write("b.jsonl", MadeUp(sizes=(16,)).lines()))

        self.assert_says(page, "no result in common")


if __name__ == "__main__":
    unittest.main()
