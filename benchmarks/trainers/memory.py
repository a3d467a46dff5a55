"""Memory of the trainers by what it is for, in MiB: counted, by closed forms, and resident.

Usage: memory.py [--bin DIR] [--ranks N] [--steps N] [MODEL ...]. Ranks are threads of one process,
in which each page counts once.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from runs import ROOT, finished

MIB = 1 << 20
# Columns of --dry-run behind the rank, and what the end line calls them.
PLANNED = {"parameter": 3, "gradient": 4, "optimizer": 5, "live": 6, "activation": 7}
HEADING = ("model", "stage", *PLANNED, "comm", "arenas, all ranks", "before training",
           "peak RSS", "peak RSS / (before + arenas)")


def planned(command: list[str]) -> dict[str, int]:
    """By --dry-run, for rank 0."""
    rows = [line.split() for line in finished([*command, "--dry-run"]).splitlines()]
    first = next(row for row in rows if row and row[0] == "0")
    return {name: int(first[column]) for name, column in PLANNED.items()}


def measured(command: list[str]) -> dict:
    """The end line of a run whose every step is held to the closed forms."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.jsonl")
        finished([*command, "--assert-accounting", "--jsonl", str(path)])
        return json.loads(path.read_text(encoding="utf-8").splitlines()[-1])


def mib(count: float) -> str:
    return f"{count / MIB:.1f}"


def row(model: str, stage: int, command: list[str]) -> str:
    plan, end = planned(command), measured(command)
    peaks, use = end["peak_bytes"], end["resident"]
    # Stages 2 and 3 hold whole gradients of a bucket beside the shards that are accounted for.
    pairs = [f"{mib(peaks[name])} ({mib(plan[name])})" for name in PLANNED]
    share = use["peak_bytes"] / (use["start_bytes"] + use["arena_bytes"])
    cells = (model, stage, *pairs, mib(peaks["comm"]), mib(use["arena_bytes"]),
             mib(use["start_bytes"]), mib(use["peak_bytes"]), f"{share:.3f}")
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("models", nargs="*", default=["micro"])
    options = parser.parse_args()
    print("| " + " | ".join(HEADING) + " |\n|" + "---|" * len(HEADING))
    for model in options.models:
        for stage in range(4):
            print(row(model, stage, [str(options.bin / "train_fsdp"), "-t", str(options.ranks),
                                     "--model", model, "--zero", str(stage), "--steps",
                                     str(options.steps)]), flush=True)


if __name__ == "__main__":
    main()
