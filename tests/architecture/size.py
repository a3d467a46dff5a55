#!/usr/bin/env python3
"""Prints the size of the project: lines per folder, the largest files, the longest functions."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from scopes import Function, scan
from sources import Source, read_tree

LARGEST = 10


def folder_of(source: Source) -> str:
    """src/bench and tests/unit stand for themselves, other folders for their top."""
    parts = Path(source.path).parent.parts
    return "/".join(parts[: 2 if parts[0] in ("src", "tests") else 1])


def print_rows(title: str, rows: Iterable[tuple[int, str]]) -> None:
    print(title)
    for lines, name in rows:
        print(f"  {lines:6d}  {name}")


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    sources = list(read_tree(root))
    folders: Counter[str] = Counter()
    for source in sources:
        folders[folder_of(source)] += len(source.lines)
    tests = sum(lines for name, lines in folders.items() if name.startswith("tests"))
    print_rows("lines per folder", ((lines, name) for name, lines in sorted(folders.items())))
    print_rows("in all", [(folders.total() - tests, "program"), (tests, "tests")])
    files = sorted(((len(s.lines), s.path) for s in sources), reverse=True)
    print_rows("largest files", files[:LARGEST])
    functions = sorted(
        (
            (item.length, f"{source.path}:{item.line}  {item.head[:60]}")
            for source in sources
            if source.is_cpp
            for item in scan(source.code)
            if isinstance(item, Function)
        ),
        reverse=True,
    )
    print_rows("longest functions", functions[:LARGEST])
    return 0


if __name__ == "__main__":
    sys.exit(main())
