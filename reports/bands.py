"""The ranges of healthy machines that lie behind the curves of a panel."""

from __future__ import annotations

import math
from itertools import pairwise

from cases import Figure
from panels import Curve, Panel
from quantities import Quantity
from scene import XY

ALIKE = 0.03  # bands closer than this are drawn once


def _expected(curve: Curve) -> list[Figure]:
    return [figure for figure in curve.figures if figure.expected]


def bands_of(panel: Panel) -> list[list[Figure]]:
    """Of the first curve of each name, whose other placement's is nearly the same; each once."""
    found: dict[str, list[Figure]] = {}
    for curve, name in zip(panel.curves, panel.names, strict=True):
        if figures := _expected(curve):
            found.setdefault(name, figures)
    distinct: list[list[Figure]] = []
    for band in found.values():
        if not any(_alike(band, other) for other in distinct):
            distinct.append(band)
    return distinct


def _alike(one: list[Figure], other: list[Figure]) -> bool:
    """Whether two bands would lie on each other."""
    expected = {f.case.bytes: f.expected.busbw_gbps for f in one if f.expected}
    others = {f.case.bytes: f.expected.busbw_gbps for f in other if f.expected}
    return expected.keys() == others.keys() and all(
        abs(others[size] / gbps - 1) < ALIKE for size, gbps in expected.items())


def band_values(quantity: Quantity, figure: Figure) -> tuple[float, float]:
    expected = figure.expected
    assert expected is not None
    high = expected.high_gbps if expected.high_gbps < math.inf else expected.busbw_gbps
    ends = [quantity.of_gbps(figure, gbps) for gbps in (expected.low_gbps, high)]
    return min(ends), max(ends)


def cut_at(line: list[XY], top: float) -> list[XY]:
    """A line from left to right: what is above `top` lies on it, and begins where they cross."""
    found = line[:1]
    for (x, y), (next_x, next_y) in pairwise(line):
        if (y < top) != (next_y < top):
            found.append((x + (next_x - x) * (top - y) / (next_y - y), top))
        found.append((next_x, next_y))
    return [(x, max(y, top)) for x, y in found]


def parts_below(line: list[XY], top: float) -> list[tuple[XY, ...]]:
    """Of a line that was cut, without what lies on `top`."""
    parts: list[list[XY]] = [[]]
    for point in line:
        parts[-1].append(point)
        if point[1] <= top:
            parts.append([point])
    return [tuple(part) for part in parts if any(y > top for _, y in part) and len(part) > 1]
