"""Sorts results into curves: what is one line in a chart, and what sets it apart from others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from checked import MAX_WORD, printable
from records import Result, Run

DIMENSIONS = ("run", "collective", "type", "redop", "root", "group")
Traits = dict[str, str]


@dataclass(frozen=True)
class Point:
    """Time per call: the samples' median and its interval, else the window's."""

    bytes: int
    time_us: float
    low_us: float
    high_us: float
    bus_bytes: float  # bus bandwidth times time: what the bus moved

    def gbps(self, time_us: float) -> float:
        return self.bus_bytes / time_us / 1e3


@dataclass(frozen=True)
class Curve:
    """One line of a chart: same traits, ascending sizes."""

    traits: Traits
    placement: str
    points: tuple[Point, ...]


def _point(result: Result) -> Point:
    bus_bytes = result.busbw_gbps * 1e3 * result.time_us
    if result.samples is None:
        return Point(result.bytes, result.time_us, result.time_us, result.time_us, bus_bytes)
    median = result.samples.median
    low, high = result.samples.interval or (median, median)
    return Point(result.bytes, median, low, high, bus_bytes)


def setup_of(run: Run) -> str:
    """Backend and ranks, in a few words."""
    nranks, backend = (str(run.info.get(key, "?"))[:MAX_WORD] for key in ("nranks", "backend"))
    return printable(f"{backend}, {nranks} rank{'' if nranks == '1' else 's'}")


def run_labels(runs: list[Run]) -> list[str]:
    """Short and different names: file, with its folder, backend or ranks where files repeat."""
    stems = [printable(run.path.stem) for run in runs]
    folders = [
        f"{printable(run.path.resolve().parent.name)}/{stem}"
        for run, stem in zip(runs, stems, strict=True)
    ]
    names = stems if len(set(stems)) == len(stems) else folders
    labels = [f"{name}: {setup_of(run)}" for run, name in zip(runs, names, strict=True)]
    total, seen = Counter(labels), Counter[str]()
    numbered = []
    for label in labels:
        seen[label] += 1
        numbered.append(label if total[label] == 1 else f"{label} (#{seen[label]})")
    return numbered


def _traits(label: str, result: Result) -> Traits:
    root = "" if result.root < 0 else f"root {result.root}"
    redop = "" if result.redop == "none" else result.redop
    values = (label, result.collective, result.type, redop, root, f"group {result.group}")
    return dict(zip(DIMENSIONS, values, strict=True))


def curves_of(runs: list[Run]) -> list[Curve]:
    """All curves, in the order of the results. Pairs of ranks are matrices, not curves."""
    sorted_points: dict[tuple[str, ...], dict[int, Point]] = {}
    for label, run in zip(run_labels(runs), runs, strict=True):
        for result in run.results:
            if result.pair is None and result.bytes > 0 and result.time_us > 0:
                key = (*_traits(label, result).values(), result.placement)
                sorted_points.setdefault(key, {})[result.bytes] = _point(result)
    return [
        Curve(
            dict(zip(DIMENSIONS, key[:-1], strict=True)),
            key[-1],
            tuple(points[size] for size in sorted(points)),
        )
        for key, points in sorted_points.items()
    ]
