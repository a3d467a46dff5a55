"""A result of memcpy_perf is a cell of a matrix."""

from __future__ import annotations

from dataclasses import dataclass

from checked import Object, object_of, word_of

MEMCPY = "memcpy_"  # begins the names of its tests


@dataclass(frozen=True)
class Copy:
    """A cell of one of memcpy_perf's matrices: who copies, and its row and column."""

    engine: str
    row: str
    column: str


def copy_of(line: Object, collective: str) -> Copy | None:
    if line.get("copy") is None:
        return Copy("", "", "") if collective.startswith(MEMCPY) else None
    copy = {"engine": "", "row": "", "column": ""} | object_of(line, "copy")
    return Copy(*(word_of(copy, key, of="copy") for key in ("engine", "row", "column")))
