"""Runs a GoogleTest program, in one process as far as it goes, and writes how each case ended.

A case that kills the program or takes longer than its limit is named, and those after it run in
another process.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from case_results import Results, take_interrupts
from gtest_run import Run


def cases_of(text: str) -> list[str]:
    """From --gtest_list_tests: names as a filter takes them."""
    cases, suite = [], ""
    for line in text.splitlines():
        word = line.split("#")[0].strip()
        if not line.startswith(" "):
            suite = word if word.endswith(".") else ""
        elif suite and "DISABLED_" not in suite + word:
            cases.append(suite + word)
    return cases


def listed(args: argparse.Namespace) -> list[str]:
    """This shard's cases."""
    text = subprocess.run([*args.command, "--gtest_list_tests"], check=True, capture_output=True,
                          encoding="utf-8", errors="replace").stdout
    index, count = map(int, args.shard.split("/"))
    cases = cases_of(text)
    if args.leave_out:
        cases = [case for case in cases if not re.search(args.leave_out, case)]
    return cases[index::count]


def run_cases(command: list[str], left: list[str], results: Results, limit_s: float) -> None:
    """All of `left`, in as many processes as it takes."""
    with tempfile.TemporaryDirectory() as folder:
        flags = Path(folder) / "flags"
        while left:
            flags.write_text(f"--gtest_filter={':'.join(left)}\n", encoding="utf-8")
            run = Run(results, limit_s)
            run.over([*command, f"--gtest_flagfile={flags}", "--gtest_color=no"])
            still = [case for case in left if case not in run.done]
            if len(still) == len(left):
                results.failed |= dict.fromkeys(still, "did not run")
                return
            left = still


def run_whole(command: list[str], results: Results, limit_s: float) -> None:
    run = Run(results, limit_s)
    run.over([*command, "--gtest_color=no"])
    if missing := run.announced - len(run.done):
        results.failed[f"{missing} further cases"] = "did not run"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True, help="what the results are called")
    parser.add_argument("--into", type=Path, required=True, help="the folder of the results")
    parser.add_argument("--shard", default="0/1", help="I/N: every Nth case, from the Ith on")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one case")
    parser.add_argument("--leave-out", help="a regular expression: these cases do not run")
    parser.add_argument("--whole", action="store_true", help="all in one start, as under mpirun")
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    take_interrupts()
    results = Results(args.name)
    if args.whole:
        run_whole(args.command, results, args.limit)
    else:
        run_cases(args.command, listed(args), results, args.limit)
    results.write(args.into)
    print(results.line())
    sys.exit(results.exit_code())


if __name__ == "__main__":
    main()
