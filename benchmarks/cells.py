"""What is measured: a case, and one competitor's windows of it, as the JSON Lines hold them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

OUT_OF_PLACE, IN_PLACE = "out_of_place", "in_place"
# A median this far above the fastest window says that something else ran (a preempted spinner).
DISTURBED = 1.5


@dataclass(frozen=True, order=True)
class Case:
    """`bytes` as nccl-tests counts; cold: each call on memory that none of the last calls used."""

    nranks: int
    cold: bool
    collective: str
    placement: str
    bytes: int


@dataclass
class Cell:
    """Times of one call in microseconds: `rounds_us[i]` are the windows of round i, which for all
    competitors of a case follow each other at once."""

    case: Case
    competitor: str
    block: int
    iters: int = 1
    windows: int = 1
    wrong: int | None = None  # None: not compared, because the warm case was
    transport: str = ""
    rounds_us: list[list[float]] = field(default_factory=list)

    @property
    def round_medians_us(self) -> list[float]:
        return [median(windows) for windows in self.rounds_us]

    @property
    def median_us(self) -> float:
        """Of the rounds' medians."""
        return median(self.round_medians_us)

    @property
    def min_us(self) -> float:
        return min(map(min, self.rounds_us))

    @property
    def disturbed(self) -> bool:
        return self.median_us > DISTURBED * self.min_us


def line_of(cell: Cell) -> dict[str, Any]:
    values = asdict(cell)
    rounds = [[round(us, 5) for us in windows] for windows in values.pop("rounds_us")]
    summary = {"median_us": round(cell.median_us, 5), "min_us": round(cell.min_us, 5)}
    return {"kind": "cell", **values.pop("case"), **values, **summary, "rounds_us": rounds}


def cell_of(line: dict[str, Any]) -> Cell:
    case = Case(**{key: line[key] for key in Case.__dataclass_fields__})
    others = {key: line[key] for key in Cell.__dataclass_fields__ if key != "case"}
    return Cell(case, **others)
