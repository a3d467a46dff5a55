"""What the tests of the benchmark share: its folder on the path, and made-up results."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

from cells import OUT_OF_PLACE, Case, Cell, line_of  # noqa: E402
from results import Results  # noqa: E402

PROBE = {"flag_ns": 60.0, "nt_write_gbps": 27.0, "nt_copy_gbps": 50.0}


def case(count: int = 64, **other: object) -> Case:
    fields = {"nranks": 2, "cold": False, "collective": "all_reduce", "placement": OUT_OF_PLACE}
    return Case(**(fields | {"bytes": count} | other))  # type: ignore[arg-type]


def cell(of: Case, competitor: str, *rounds_us: float, wrong: int = 0) -> Cell:
    return Cell(of, competitor, block=0, wrong=wrong, rounds_us=[[us] for us in rounds_us])


def block(steady: bool = True) -> dict[str, object]:
    return {"kind": "block", "block": 0, "title": "all_reduce, 2 ranks, warm, out of place",
            "attempts": 1, "steady": steady, "before": PROBE, "after": PROBE}


def results(*cells: Cell, steady: bool = True) -> Results:
    return Results([*map(line_of, cells), block(steady)])
