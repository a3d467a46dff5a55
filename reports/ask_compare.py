"""Calls `linerate compare` for two sides of a page."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from between_runs import Verdicts, verdicts_of
from checked import MAX_TEXT, printable
from runlog import DAMAGE
from sides import Side

LIMIT_S = 120
RUN_ID = re.compile(rb'"run_id":"([^"]*)"')

Ask = Callable[[Side, Side], Verdicts]


def _gather(side: Side, folder: Path) -> Path:
    """The lines of its runs, in as many files as they came from."""
    folder.mkdir()
    wanted: dict[Path, set[bytes]] = {}
    for run in side.runs:
        wanted.setdefault(run.path, set()).add(str(run.info.get("run_id")).encode())
    for number, (path, ids) in enumerate(wanted.items()):
        with path.open("rb") as source, (folder / f"{number:06}.jsonl").open("wb") as kept:
            kept.writelines(line for line in source
                            if (found := RUN_ID.search(line)) and found[1] in ids)
    return folder


def _answer(program: str, sides: tuple[Side, Side], folder: Path) -> Verdicts:
    folders = [_gather(side, folder / name) for side, name in zip(sides, "AB", strict=True)]
    done = subprocess.run([program, "compare", *folders, "--json"], capture_output=True, text=True,
                          timeout=LIMIT_S, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip().removeprefix("linerate: ").replace(f"{folder}/", ""))
    return verdicts_of(json.loads(done.stdout), (sides[0].label, sides[1].label))


def asker(program: str) -> Ask:
    """What asks this program; without one, what says who knows. An answer that does not come is a
    sentence."""
    def ask(base: Side, other: Side) -> Verdicts:
        if not program:
            return Verdicts(["linerate compare says which differences are real."])
        try:
            with TemporaryDirectory(prefix="linerate-report-") as folder:
                return _answer(program, (base, other), Path(folder))
        except (OSError, subprocess.TimeoutExpired, *DAMAGE) as problem:
            reason = printable(str(problem))[:MAX_TEXT]
            return Verdicts([f"linerate compare has no verdict (A: {base.label}; "
                             f"B: {other.label}): {reason.rstrip('.')}."])
    return ask
