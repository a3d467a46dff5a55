"""The bands that follow from cross-validation."""

from __future__ import annotations

from collections import Counter

import numpy as np

from points import BANDS
from validation import KINDS, MANY, Cell, LeftOut

SHARE = 0.8  # of healthy machines within the band
FEWEST = 12  # points for quantiles of their own
LEAST = 0.03  # of a band on each side
FEW = 4  # publishers from which on a band is as lopsided as their figures


def quantiles(left_out: list[LeftOut]) -> tuple[float, float]:
    """Each run counts as much as any other, however many sizes were published of it."""
    order = sorted(left_out, key=lambda each: each.ratio)
    runs = Counter(each.point.table["id"] for each in order)
    shares = np.cumsum([1 / runs[each.point.table["id"]] for each in order]) / len(runs)
    tail = (1 - SHARE) / 2
    low, high = (np.log(order[int(np.searchsorted(shares, at))].ratio) for at in (tail, 1 - tail))
    publishers = len({each.point.table["by"] for each in left_out})
    if publishers < FEW:
        low, high = min(low, -high), max(high, -low)
    unseen = (1 + 1 / publishers) ** 0.5  # the next one differs from their middle, unsure itself
    return (float(np.exp(min(low * unseen, -LEAST))), float(np.exp(max(high * unseen, LEAST))))


def bands(left_out: list[LeftOut]) -> dict[Cell, tuple[float, float]]:
    """Low and high over the forecast, never narrower with fewer sources. A cell of few points has
    the quantiles of its kind, and a kind of few those of all."""
    found = {}
    for kind in range(len(KINDS)):
        for band in range(len(BANDS)):
            wider = (1.0, 1.0)
            for sources in range(MANY, -1, -1):
                alike = [each for each in left_out if each.cell[1] == band]
                of_kind = [each for each in alike if each.cell[0] == kind]
                own_cell = [each for each in of_kind if each.cell[2] == sources]
                some = next((few for few in (own_cell, of_kind) if len(few) >= FEWEST), alike)
                own = quantiles(some)
                wider = (min(own[0], wider[0]), max(own[1], wider[1]))
                found[(kind, band, sources)] = wider
    return found


def covered(left_out: list[LeftOut], basis: list[LeftOut]) -> dict[int, bool]:
    """Whether each lies in a band that its publisher had no part in."""
    found = {}
    for by in {each.point.table["by"] for each in left_out}:
        others = bands([each for each in basis if each.point.table["by"] != by])
        for each in left_out:
            if each.point.table["by"] == by:
                low, high = others[each.cell]
                found[id(each)] = low <= each.ratio <= high
    return found
