"""What all cases of a run came to: what failed, what was skipped and why, and how many there were.

With --may-skip FILE a reason to skip must match a regular expression of that file: one a line,
`#` begins a comment. Exits with 1 where a case failed, or was skipped for another reason.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path

from case_results import Results, counts_text, read_all

SHOWN = 5


def patterns_of(file: Path) -> list[re.Pattern[str]]:
    lines = (line.split("#")[0].strip() for line in file.read_text(encoding="utf-8").splitlines())
    return [re.compile(line) for line in lines if line]


def by_reason(programs: list[Results]) -> dict[str, list[str]]:
    found = defaultdict(list)
    for program in programs:
        for case, reason in program.skipped.items():
            found[reason].append(f"{program.name} {case}")
    return dict(sorted(found.items()))


def names_text(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def summary(programs: list[Results], may_skip: list[re.Pattern[str]] | None) -> tuple[str, bool]:
    """The text, and whether all is well."""
    lines, well = [], True
    for reason, names in by_reason(programs).items():
        known = may_skip is None or any(pattern.search(reason) for pattern in may_skip)
        said = "skipped" if known else "skipped, but must run here"
        lines.append(f"{said}: {len(names)} ({reason}): {names_text(names)}")
        well = well and known
    for program in programs:
        for case, why in program.failed.items():
            lines.append(f"failed: {program.name} {case}: {why}")
            well = False
    passed = sum(program.passed for program in programs)
    failed = sum(len(program.failed) for program in programs)
    skipped = sum(len(program.skipped) for program in programs)
    lines.append(f"{counts_text(passed, failed, skipped)}, of {len(programs)} programs")
    return "\n".join(lines), well


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--may-skip", type=Path)
    args = parser.parse_args()
    programs = read_all(args.folder)
    if not programs:
        sys.exit(f"No results in {args.folder}.")
    text, well = summary(programs, args.may_skip and patterns_of(args.may_skip))
    print(text)
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
