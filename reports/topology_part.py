"""One part of the picture of a host, with what stands below it."""

from __future__ import annotations

from dataclasses import dataclass, field

from svg import Box, Line
from topology_text import Json

MAX_STACK = 4  # NICs below each other


@dataclass
class Part:
    kind: str  # "cpu", "switch", "gpu", "nic", "down", or "stack": NICs on top of each other
    lines: list[Line] = field(default_factory=list)
    tip: list[str] = field(default_factory=list)
    devices: list[Json] = field(default_factory=list)  # whose PCI links lead up from here
    node: str = ""  # its name in the graph
    below: list[Part] = field(default_factory=list)
    box: Box = field(default_factory=Box)

    @property
    def is_leaf(self) -> bool:
        return self.kind not in ("cpu", "switch")

    def walk(self) -> list[Part]:
        return [self, *(p for part in self.below for p in part.walk())]


def stacked(parts: list[Part]) -> list[Part]:
    """More than two NICs side by side become columns; the order of the rest stays."""
    nics = ("nic", "down")
    if sum(part.kind in nics for part in parts) <= 2:
        return parts
    columns: list[Part] = []
    for part in parts:
        if part.kind not in nics:
            columns.append(part)
            continue
        if not columns or columns[-1].kind != "stack" or len(columns[-1].below) == MAX_STACK:
            columns.append(Part("stack"))
        columns[-1].below.append(part)
    return columns
