#!/usr/bin/env python3
"""The host backend against its peers, side by side: bench.py --plan full|quick|smoke -o DIR.

Writes bench.jsonl and bench.png into DIR, and with --page FILE.md the page and its picture; where
FILE_notes.md stands beside it, a person's words on missed targets, the page takes them in. With
--from FILE.jsonl nothing is measured: the page and the picture are made of an earlier run.
Exit codes: 0 ok; 1 wrong data was found; 2 usage; 5 something that is needed is not here.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

from competitors import COMPETITORS
from console import block_text
from driver import Driver
from jobs import JobLost
from page import page_text
from picture import write_picture
from plan import PLANS
from results import Results

ROOT = Path(__file__).resolve().parents[1]


class UsageError(Exception):
    """What was asked for cannot be done; the message says why."""


def _earlier(path: Path) -> Results:
    try:
        results = Results.read(path)
        if not results.info:
            raise ValueError("it has no line of kind run")
        return results
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise UsageError(f"--from {path} holds no run of this program: {problem}.") from problem


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.py", description=__doc__.splitlines()[0])
    parser.add_argument("--plan", choices=PLANS, default="full")
    parser.add_argument("--seconds", type=float, help="time for all of it")
    parser.add_argument("--only", help="competitors, with commas between them")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "bench")
    parser.add_argument("--page", type=Path, metavar="FILE.md")
    parser.add_argument("--from", dest="earlier", type=Path, metavar="FILE.jsonl")
    return parser.parse_args(words)


def _say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def _measure(arguments: argparse.Namespace) -> Results:
    plan = PLANS[arguments.plan]()
    if arguments.seconds:
        plan = replace(plan, seconds=arguments.seconds)
    keys = [c.key for c in COMPETITORS]
    wanted = arguments.only.split(",") if arguments.only else keys
    if unknown := set(wanted) - set(keys):
        raise UsageError(f"no competitor {', '.join(sorted(unknown))}; there are "
                         f"{', '.join(keys)}.")
    driver = Driver(plan, arguments.build, arguments.output / "bench.jsonl", _say)
    driver.run([c for c in COMPETITORS if c.key in wanted],
               lambda block: print(block_text(driver.results, block), flush=True))
    return driver.results


def _report(results: Results, arguments: argparse.Namespace) -> None:
    write_picture(results, arguments.output / "bench.png")
    if arguments.page is not None:
        arguments.page.parent.mkdir(parents=True, exist_ok=True)
        picture = arguments.page.with_suffix(".png")
        write_picture(results, picture)
        notes = arguments.page.with_name(arguments.page.stem + "_notes.md")
        said = notes.read_text(encoding="utf-8") if notes.is_file() else ""
        arguments.page.write_text(page_text(results, picture.name, said), encoding="utf-8")
        _say(f"wrote {os.path.relpath(arguments.page)} and {os.path.relpath(picture)}")


def main(words: list[str]) -> int:
    arguments = _arguments(words)
    arguments.output.mkdir(parents=True, exist_ok=True)
    try:
        results = _earlier(arguments.earlier) if arguments.earlier else _measure(arguments)
    except UsageError as problem:
        _say(str(problem))
        return 2
    except (JobLost, FileNotFoundError) as problem:
        _say(f"{problem}. make bench builds and runs all of it.")
        return 5
    _report(results, arguments)
    wrong = [cell for of_case in results.cells.values() for cell in of_case.values() if cell.wrong]
    for cell in wrong:
        _say(f"WRONG DATA: {cell.competitor}, {cell.wrong} elements, {cell.case}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
