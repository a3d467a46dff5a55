#!/usr/bin/env python3
"""Checks the architecture: folder arrows, foreign headers, conditions, state, sizes, first lines.

Usage: check_layers.py [ROOT]. Exit code 0: clean; 1: one line on stdout for each violation.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rules import RULES
from sources import Violation, read_tree


def check(root: Path) -> list[Violation]:
    """All violations of the tree below `root`, in path order."""
    return [v for source in read_tree(root) for rule in RULES for v in rule(source)]


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    violations = check(root)
    for violation in violations:
        print(violation)
    count = sum(1 for _ in read_tree(root))
    if count == 0:
        print(f"check_layers: no sources below {root}", file=sys.stderr)
        return 1
    print(f"check_layers: {count} files, {len(violations)} violations", file=sys.stderr)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
