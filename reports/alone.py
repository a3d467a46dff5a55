"""linerate-report: linerate report without linerate, as pip installs it.

Verdicts between runs are linerate's; without it the page shows the runs beside each other.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

FORMATS = ("html", "md", "png", "svg", "openmetrics")


def _formats(text: str) -> str:
    words = FORMATS if text == "all" else text.split(",")
    if unknown := [word for word in words if word not in FORMATS]:
        raise argparse.ArgumentTypeError(
            f"unknown format '{unknown[0]}': choose one of {', '.join(FORMATS)}, all")
    return ",".join(words)


def main() -> int:
    parser = argparse.ArgumentParser(prog="linerate-report", allow_abbrev=False, description=(
        "One page that says whether runs are as fast as they should be, and pictures of them."))
    parser.add_argument("files", nargs="+", metavar="FILE",
                        help="JSON Lines of runs (--jsonl), or NAME=FILE; or a sweep's file")
    parser.add_argument("-o", "--output", default="report", metavar="DIR",
                        help="the folder to write into [report]")
    parser.add_argument("--format", default="html", type=_formats, metavar="LIST",
                        help=f"{', '.join(FORMATS)}, with commas between them, or all [html]")
    parser.add_argument("--title", default="", metavar="TEXT", help="the title of the page")
    given = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from report import main as report

    return report(["", given.output, given.format, given.title, *given.files])
