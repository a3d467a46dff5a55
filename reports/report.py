#!/usr/bin/env python3
"""Charts and one page from runs: report.py RUN.jsonl… -o DIR.

Writes busbw.png, busbw.svg, latency.png, latency.svg and report.html into DIR.
Exit codes: 0 ok; 2 an input is missing, foreign or empty, or the usage is wrong; 5 no matplotlib.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from runlog import BadInput, read_runs


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="linerate report", description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN.jsonl", help="from --jsonl")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help="a folder")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    arguments = _arguments(words)
    try:
        runs = [run for path in arguments.runs for run in read_runs(path)]
    except BadInput as problem:
        print(f"linerate report: {problem}", file=sys.stderr)
        return 2
    try:
        from figures import write_charts
        from page import write_page
    except ImportError as problem:
        print(f"linerate report: {problem}. Run make deps, or set PYTHON.", file=sys.stderr)
        return 5
    folder: Path = arguments.output
    try:
        folder.mkdir(parents=True, exist_ok=True)
        charts = write_charts(runs, folder)
        write_page(runs, charts, folder / "report.html")
    except OSError as error:
        print(f"linerate report: cannot write {error.filename}: {error.strerror}.", file=sys.stderr)
        return 2
    print(folder / "report.html", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
