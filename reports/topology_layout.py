"""Where the parts of a host's picture stand: processors side by side, devices in one row below."""

from __future__ import annotations

from dataclasses import dataclass

from svg import Box, Line
from topology_part import Part

PART_GAP = 10  # between neighbours
WIRE_GAP = 36  # between what is above and below each other
SWITCH_HEIGHT, CPU_HEIGHT = 36, 56
BOX_PADDING = 12  # of the box around a processor's devices
TRUNK_WIDTH = 14  # left of stacked NICs, for the link that they share
TEXT_PADDING = 8
STACK_GAP = 8
MIN_COLUMN, MAX_COLUMN = 92, 150
TWO_WIRE_COLUMN = 130  # of a GPU with two links upwards, labels on both sides
MAX_CPU_WIDTH = 280


def _width_of(lines: list[Line]) -> float:
    return max((line.width for line in lines), default=0) + 2 * TEXT_PADDING


def _height_of(lines: list[Line]) -> float:
    return sum(line.height for line in lines) + 2 * TEXT_PADDING


def _levels_below(part: Part) -> int:
    return max((1 + _levels_below(below) for below in part.below if not below.is_leaf), default=0)


@dataclass
class Layout:
    """One for all processors of a host, so that columns and rows line up."""

    column: float  # width of a GPU or a NIC
    leaf_height: float
    levels: int  # of switches, one above the other

    @staticmethod
    def of(cpus: list[Part], has_two_wires: bool) -> Layout:
        parts = [part for cpu in cpus for part in cpu.walk()]
        stacked = [nic for part in parts if part.kind == "stack" for nic in part.below]
        leaves = [part for part in parts if part.kind in ("gpu", "nic", "down")]
        widths = [_width_of(part.lines) for part in leaves]
        widths += [_width_of(nic.lines) + TRUNK_WIDTH for nic in stacked]
        least = TWO_WIRE_COLUMN if has_two_wires else MIN_COLUMN
        return Layout(column=min(max([*widths, least]), MAX_COLUMN),
                      leaf_height=max((_height_of(part.lines) for part in leaves), default=0),
                      levels=max(map(_levels_below, cpus), default=0))

    def place(self, cpus: list[Part], x: float, y: float) -> None:
        """Gives everything its place, the first processor's corner at (x, y)."""
        for cpu in cpus:
            text = min(_width_of(cpu.lines), MAX_CPU_WIDTH)
            cpu.box = Box(x + BOX_PADDING, y, max(self._row_width(cpu.below), text), CPU_HEIGHT)
            _cut_lines(cpu)
            self._place_row(cpu, y + CPU_HEIGHT + WIRE_GAP, 0)
            x += cpu.box.w + 2 * BOX_PADDING + PART_GAP

    def _width_of_part(self, part: Part) -> float:
        return self.column if part.is_leaf else max(self._row_width(part.below), self.column)

    def _row_width(self, row: list[Part]) -> float:
        return sum(map(self._width_of_part, row)) + PART_GAP * max(len(row) - 1, 0)

    def _place_row(self, above: Part, top: float, level: int) -> None:
        """What is below `above`, in its middle; `top` is that of the first level."""
        x = above.box.center - self._row_width(above.below) / 2
        for part in above.below:
            shown = self.levels if part.is_leaf else level
            part.box = Box(x, top + shown * (SWITCH_HEIGHT + WIRE_GAP), self._width_of_part(part),
                           self.leaf_height if part.is_leaf else SWITCH_HEIGHT)
            x = part.box.right + PART_GAP
            if part.kind == "stack":
                _place_stack(part)
                continue
            _cut_lines(part)
            self._place_row(part, top, level + 1)


def _place_stack(stack: Part) -> None:
    y = stack.box.y
    for nic in stack.below:
        nic.box = Box(stack.box.x + TRUNK_WIDTH, y, stack.box.w - TRUNK_WIDTH,
                      _height_of(nic.lines))
        _cut_lines(nic)
        y = nic.box.bottom + STACK_GAP
    stack.box.h = y - STACK_GAP - stack.box.y


def _cut_lines(part: Part) -> None:
    part.lines = [line.cut_to(part.box.w - TEXT_PADDING) for line in part.lines]
