"""Cross-validation that leaves whole publishers out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from model import problem, start, times_us
from points import Point
from shape import Shape

MANY = 2  # sources from which on more do not narrow a band
Cell = tuple[int, int, int]  # kind, size band, sources
KINDS = ("one node", "several nodes", "sends between nodes")


def kind_of(point: Point) -> int:
    return 0 if point.scale == 0 else 2 if point.sends else 1


@dataclass(frozen=True)
class LeftOut:
    """A point, how its publisher measured it against a forecast without it, and what is left."""

    point: Point
    ratio: float  # measured bandwidth over the forecast
    sources: int  # other publishers of such a point

    @property
    def cell(self) -> Cell:
        return (kind_of(self.point), self.point.band, min(self.sources, MANY))


def published(points: Iterable[Point]) -> set[tuple[Shape, str]]:
    """What was run by whom."""
    return {(point.shape, point.table["by"]) for point in points}


def others_near(point: Point, runs: set[tuple[Shape, str]]) -> set[str]:
    """The other publishers of such a run."""
    return {by for shape, by in runs if shape.near(point.shape)} - {point.table["by"]}


def ratios(points: list[Point], logs: dict[str, float]) -> list[float]:
    """Measured bandwidth over the forecast with such parameters."""
    of = problem(points)
    x = np.array([logs.get(name, begin) for name, begin
                  in zip(of.names, start(of.names), strict=True)])
    return [float(ratio) for ratio in times_us(of, x) / of.columns["measured"]]


def leave_sources_out(points: list[Point], fitted: Callable) -> list[LeftOut]:
    """Each against a fit to the healthy ones of all other publishers."""
    healthy = [point for point in points if point.healthy]
    runs, found = published(healthy), []
    for by in sorted({point.table["by"] for point in points}):
        mine = [point for point in points if point.table["by"] == by]
        logs = fitted(problem(point for point in healthy if point.table["by"] != by))
        found += [LeftOut(point, ratio, len(others_near(point, runs)))
                  for point, ratio in zip(mine, ratios(mine, logs), strict=True)]
    return found


def leave_support_out(points: list[Point], fitted: Callable) -> list[LeftOut]:
    """Those that others support, as if nobody did: how far the forecast is off then."""
    found, runs = [], published(points)
    for shape, by in sorted(runs):
        mine = [point for point in points if (point.shape, point.table["by"]) == (shape, by)]
        if not others_near(mine[0], runs):
            continue
        logs = fitted(problem(point for point in points
                              if point.table["by"] != by and not point.shape.near(shape)))
        found += [LeftOut(point, ratio, 0)
                  for point, ratio in zip(mine, ratios(mine, logs), strict=True)]
    return found
