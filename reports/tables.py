"""Tables of a page: cells with what they say when pointed at, and what they are sorted by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from answer import MARKS
from cases import Figure, Trait
from tips import cell_tip
from units import column_time, figures, format_bytes

MAX_ROWS = 2000  # of a table; the raw data have the others
T = TypeVar("T")


@dataclass(frozen=True)
class Cell:
    """`value` sorts it where its text does not say it; `look` is a class of the style sheet."""

    text: str
    value: float | None = None
    look: str = ""
    tip: str = ""


@dataclass
class Table:
    """`groups` head several columns each, where there are any."""

    heads: list[str]
    rows: list[list[Cell]] = field(default_factory=list)
    groups: list[tuple[str, int]] = field(default_factory=list)
    constant: str = ""  # what all rows share
    dense: bool = False  # has many columns
    left_out: int = 0

    @property
    def starts(self) -> set[int]:
        """Columns with which a group begins."""
        widths = [width for _, width in self.groups]
        return {sum(widths[:index]) for index in range(1, len(widths))}

    @property
    def full_heads(self) -> list[str]:
        """With the name of their group, for tables with one row of heads."""
        names = [name for name, width in self.groups for _ in range(width)]
        names += [""] * (len(self.heads) - len(names))
        return [f"{name} {head}".strip() for name, head in zip(names, self.heads, strict=True)]

    def kept(self, items: Iterable[T]) -> list[T]:
        """As many as become rows; counts the others."""
        found = list(items)
        self.left_out = max(0, len(found) - MAX_ROWS)
        return found[:MAX_ROWS]


def gbps_cell(figure: Figure, digits: int = 3) -> Cell:
    """Bus bandwidth, coloured and marked by its verdict; time where it has none. `digits` are shown
    of what is below 1 GB/s."""
    verdict = figure.verdict if figure.verdict in MARKS else ""
    look = f"v {verdict}" if verdict else ""
    mark = f"{MARKS[verdict]} " if verdict not in ("", "ok") else ""
    tip = cell_tip(figure.case, figure)
    if figure.busbw_gbps > 0:
        digits = digits if figure.busbw_gbps < 1 else 3
        return Cell(mark + figures(figure.busbw_gbps, digits), None, look, tip)
    return Cell(mark + column_time(figure.time_us), figure.time_us, look, tip)


def size_cell(size: int) -> Cell:
    return Cell(format_bytes(size), size)


def varying(traits: Iterable[Trait]) -> tuple[list[str], str]:
    """The parts that tell traits apart: the collective, and what differs within one of them. And in
    words what all share."""
    words = [trait.words() for trait in dict.fromkeys(traits)]
    names = list(words[0]) if words else []
    collectives = list(dict.fromkeys(w["collective"] for w in words))

    def values(part: str, collective: str) -> set[str]:
        return {w[part] for w in words if w["collective"] == collective}
    parts = [p for p in names if any(len(values(p, name)) > 1 for name in collectives)]
    if len(collectives) > 1:
        parts.insert(0, "collective")
    shared = [words[0][p] for p in names if p not in ("group", *parts)
              and len({w[p] for w in words}) == 1]
    return parts, ", ".join(filter(None, shared))


def trait_cells(trait: Trait, parts: list[str]) -> list[Cell]:
    words = trait.words()
    return [Cell(words[part], look="name") for part in parts]
