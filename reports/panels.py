"""Sorts curves into panels: few enough lines on shared axes, and a name for each line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from series import DIMENSIONS, Curve, Traits

# More lines than this in one panel are no longer told apart.
MAX_CURVES = 6
# The order in which a crowded chart is split: runs stay together longest, to be compared.
SPLIT_ORDER = ("collective", "redop", "type", "root", "group", "run")
# What a title says also where all curves agree on it.
COMMON = ("collective", "type", "redop", "root")


@dataclass(frozen=True)
class Panel:
    """Curves that share axes: `title` is what they have in common, `names` what sets them apart."""

    title: str
    curves: tuple[Curve, ...]
    names: tuple[str, ...]


def _varying(curves: Iterable[Curve]) -> list[str]:
    kept = list(curves)
    return [d for d in DIMENSIONS if len({curve.traits[d] for curve in kept}) > 1]


def _describe(traits: Traits, dimensions: Iterable[str]) -> str:
    return ", ".join(traits[d] for d in dimensions if traits[d])


def _grouped(curves: list[Curve], dimensions: list[str]) -> dict[str, list[Curve]]:
    groups: dict[str, list[Curve]] = {}
    for curve in curves:
        groups.setdefault(_describe(curve.traits, dimensions), []).append(curve)
    return groups


def _crowded(groups: dict[str, list[Curve]]) -> bool:
    lines = ({tuple(c.traits.values()) for c in group} for group in groups.values())
    return any(len(distinct) > MAX_CURVES for distinct in lines)


def panels_of(curves: list[Curve]) -> list[Panel]:
    """Splits by one dimension after another until no panel has too many lines."""
    varying = _varying(curves)
    split: list[str] = []
    remaining = [dimension for dimension in SPLIT_ORDER if dimension in varying]
    while remaining and _crowded(_grouped(curves, split)):
        split.append(remaining.pop(0))
    in_title = [d for d in DIMENSIONS if d in split or (d in COMMON and d not in varying)]
    return [
        Panel(
            _describe(group[0].traits, in_title),
            tuple(group),
            tuple(_describe(curve.traits, remaining) for curve in group),
        )
        for group in _grouped(curves, split).values()
    ]
