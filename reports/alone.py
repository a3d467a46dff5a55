"""linerate-report: linerate report without linerate, as pip installs it.

Verdicts between runs are linerate's; without it the page shows the runs beside each other.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NoReturn

FORMATS = ("html", "md", "png", "svg", "openmetrics")


def _formats(text: str) -> str:
    words = FORMATS if text == "all" else text.split(",")
    if unknown := [word for word in words if word not in FORMATS]:
        raise argparse.ArgumentTypeError(
            f"unknown format '{unknown[0]}': choose one of {', '.join(FORMATS)}, all")
    return ",".join(words)


HELP = f"""\
usage:   linerate-report FILE… [options]
example: linerate-report before=a.jsonl after=b.jsonl -o report

Makes a page from the JSON Lines of runs (--jsonl) that says whether they are as fast as they should
be, and pictures of them. NAME=FILE gives a file a name. The file of linerate sweep becomes a page
of its own.

Options
  -o, --output DIR                 the folder to write into; it is made [report]
      --format LIST                what is written: {', '.join(FORMATS)}, separated by
                                   commas, or all [html]
      --title TEXT                 the purpose of the runs, as the title of the page

Help
  -h, --help                       print this text

Exit codes
  0    all is well, or help was asked for
  1    a file could not be read or written
  2    the command line, or an input file
  5    a package of Python is missing
"""


class _Parser(argparse.ArgumentParser):
    """Helps as linerate does, and says in one sentence what is wrong."""

    def format_help(self) -> str:
        return HELP

    def error(self, message: str) -> NoReturn:
        sentence = f"{message[:1].upper()}{message[1:]}"
        self.exit(2, f"linerate-report: {sentence}. -h lists all options.\n")


def main() -> int:
    parser = _Parser(prog="linerate-report", allow_abbrev=False)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("-o", "--output", default="report")
    parser.add_argument("--format", default="html", type=_formats)
    parser.add_argument("--title", default="")
    given = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from report import main as report

    return report(["", given.output, given.format, given.title, *given.files])
