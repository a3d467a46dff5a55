"""Sorts curves into panels: few enough lines on shared axes, and a name for each line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cases import Figure, Trait
from sides import Side

# More lines than this in one panel are no longer told apart.
MAX_NAMES = 8
MAX_PANELS = 24
# The order in which a crowded chart is split: sides stay together longest, to be compared.
SPLIT_ORDER = ("redop", "type", "root", "group", "side")
DIMENSIONS = ("side", "collective", "type", "redop", "root", "group")
Words = dict[str, str]


@dataclass(frozen=True)
class Curve:
    """One line of a chart: a side and a trait in one placement, by ascending size."""

    words: Words
    side: int
    trait: Trait
    placement: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Panel:
    """Curves that share axes: `title` is what they have in common, `names` what sets them apart."""

    title: str
    curves: tuple[Curve, ...]
    names: tuple[str, ...]

    @property
    def distinct(self) -> list[str]:
        return list(dict.fromkeys(self.names))


def curves_of(sides: list[Side]) -> list[Curve]:
    found: dict[tuple[int, Trait, str], list[Figure]] = {}
    for index, side in enumerate(sides):
        for case, figure in side.figures.items():
            if case.bytes > 0:
                found.setdefault((index, case.trait, case.placement), []).append(figure)
    return [
        Curve({"side": sides[index].label} | trait.words(), index, trait, placement,
              tuple(sorted(figures, key=lambda f: f.case.bytes)))
        for (index, trait, placement), figures in found.items()
    ]


def _varying(curves: Iterable[Curve]) -> list[str]:
    kept = list(curves)
    return [d for d in DIMENSIONS if len({curve.words[d] for curve in kept}) > 1]


def _describe(words: Words, dimensions: Iterable[str]) -> str:
    return ", ".join(words[d] for d in dimensions if words[d])


def _grouped(curves: list[Curve], dimensions: list[str]) -> dict[str, list[Curve]]:
    groups: dict[str, list[Curve]] = {}
    for curve in curves:
        groups.setdefault(_describe(curve.words, dimensions), []).append(curve)
    return groups


def _crowded(groups: dict[str, list[Curve]]) -> bool:
    lines = ({tuple(c.words.values()) for c in group} for group in groups.values())
    return any(len(distinct) > MAX_NAMES for distinct in lines)


def panels_of(curves: list[Curve]) -> list[Panel]:
    """One for each collective; split further until none has too many lines."""
    varying = _varying(curves)
    split = ["collective"]
    remaining = [dimension for dimension in SPLIT_ORDER if dimension in varying]
    while remaining and _crowded(_grouped(curves, split)):
        split.append(remaining.pop(0))
    shared = [d for d in ("type", "redop", "root") if d not in varying and d not in split]
    in_title = [d for d in DIMENSIONS if d in split or d in shared]
    return [
        Panel(
            _describe(group[0].words, in_title),
            tuple(group),
            tuple(_describe(curve.words, remaining) for curve in group),
        )
        for group in _grouped(curves, split).values()
    ]
