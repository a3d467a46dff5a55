#!/usr/bin/env python3
"""A page, pictures and Markdown from the JSON Lines of runs.

report.py PROGRAM FOLDER FORMATS TITLE FILE…: linerate report reads the command line and calls this.
PROGRAM is linerate, which is asked to compare; empty: nobody is. FORMATS: html, md, png, svg or
openmetrics, several with commas between. A FILE may have a name before it: before=a.jsonl. Exit
codes: 0 ok; 1 the disk is full or broken; 2 an input is missing or foreign, or none has a result; 5
a library of Python is missing; 130 interrupted. One FILE of linerate sweep makes a page of its own.
"""

from __future__ import annotations

import errno
import sys
from pathlib import Path

from ask_compare import asker
from checked import MAX_WORD, printable
from contents import Contents
from records import Run
from runlog import BadInput, NoResults, read_runs
from study_file import study_of

DISK_FAILURES = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
PICTURES = ("png", "svg")


def _say(text: str) -> None:
    print(f"linerate report: {text}", file=sys.stderr)


def _named(word: str) -> tuple[Path, str]:
    """The file, and the name that it is given before a '='."""
    name, equals, path = word.partition("=")
    if not equals or not name or not path or Path(word).exists():
        return Path(word), ""
    return Path(path), printable(name)[:MAX_WORD]


def _runs_of(words: list[str]) -> list[Run]:
    """All runs with results. Files without any are left out with a word, unless all are."""
    runs, empty = [], []
    for word in words:
        path, name = _named(word)
        try:
            found = read_runs(path)
        except NoResults as problem:
            empty.append(problem)
            continue
        for run in found:
            run.name = name
        runs += found
    if not runs:
        raise empty[0]
    for problem in empty:
        _say(f"left out: {problem}")
    return runs


def _write(runs: list[Run], contents: Contents, folder: Path, formats: list[str]) -> list[Path]:
    """What was written, the page first."""
    from files import write_pictures
    from openmetrics import write_openmetrics
    from page import write_markdown, write_page

    written = []
    if "html" in formats:
        written.append(folder / "report.html")
        write_page(contents, written[-1])
    if "md" in formats:
        written.append(folder / "report.md")
        write_markdown(contents, written[-1])
    for picture in PICTURES:
        if picture in formats:
            written += write_pictures(contents.drawings, folder, picture)
    if "openmetrics" in formats:
        written.append(folder / "linerate.prom")
        write_openmetrics(runs, written[-1])
    return written


def main(words: list[str]) -> int:
    program, folder, formats, title, *files = words
    try:
        study = study_of([_named(word)[0] for word in files], formats)
        runs = [] if study else _runs_of(files)
    except BadInput as problem:
        _say(str(problem))
        return 2
    except MemoryError:
        _say("these files hold more than fits in the memory of this machine.")
        return 2
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        if study:
            from study import write_study

            written = [write_study(study, Path(folder), title)]
        else:
            contents = Contents(runs, title, asker(program))
            written = _write(runs, contents, Path(folder), formats.split(","))
        print(*written, sep="\n", file=sys.stderr)
    except ImportError as problem:
        _say(f"{problem}. Install it, or set PYTHON to a Python 3 that has it.")
        return 5
    except OSError as error:
        _say(f"cannot write {error.filename or folder}: {error.strerror}.")
        return 1 if error.errno in DISK_FAILURES else 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        _say("interrupted.")
        sys.exit(130)
