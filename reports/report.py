#!/usr/bin/env python3
"""Charts and one page from the JSON Lines of runs: report.py RUN.jsonl… -o DIR.

Writes busbw.png, busbw.svg, latency.png, latency.svg and report.html into DIR.
Exit codes: 0 ok; 1 the disk is full or broken; 2 an input is missing or foreign, none has a result,
or the usage is wrong; 5 no matplotlib; 130 interrupted.
"""

from __future__ import annotations

import argparse
import errno
import sys
from pathlib import Path
from typing import NoReturn

from records import Run
from runlog import BadInput, NoResults, read_runs

DISK_FAILURES = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, as all of linerate's tools say it."""
        _say(f"{message}. 'linerate report --help' lists the options.")
        sys.exit(2)


def _arguments(words: list[str]) -> argparse.Namespace:
    purpose = __doc__.splitlines()[0].partition(":")[0]
    parser = _Parser(prog="linerate report", description=purpose)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN.jsonl", help="from --jsonl")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="a folder")
    return parser.parse_args(words)


def _say(text: str) -> None:
    print(f"linerate report: {text}", file=sys.stderr)


def _runs_of(paths: list[Path]) -> list[Run]:
    """All runs with results. Files without any are left out with a word, unless all are."""
    runs, empty = [], []
    for path in paths:
        try:
            runs += read_runs(path)
        except NoResults as problem:
            empty.append(problem)
    if not runs:
        raise empty[0]
    for problem in empty:
        _say(f"left out: {problem}")
    return runs


def main(words: list[str]) -> int:
    arguments = _arguments(words)
    if not arguments.output:
        _say("-o needs the name of a folder.")
        return 2
    try:
        runs = _runs_of(arguments.runs)
    except BadInput as problem:
        _say(str(problem))
        return 2
    except MemoryError:
        _say("these files hold more than fits in the memory of this machine.")
        return 2
    try:
        from figures import write_charts
        from page import write_page
    except ImportError as problem:
        _say(f"{problem}. Run make deps, or set PYTHON.")
        return 5
    folder = Path(arguments.output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        charts = write_charts(runs, folder)
        write_page(runs, charts, folder / "report.html")
    except OSError as error:
        _say(f"cannot write {error.filename or folder}: {error.strerror}.")
        return 1 if error.errno in DISK_FAILURES else 2
    print(folder / "report.html", file=sys.stderr)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        _say("interrupted.")
        sys.exit(130)
