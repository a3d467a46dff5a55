"""Over nodes, and over time: what a study has of several numbers of ranks, and of several runs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from study_data import NOTHING_SET, Point, Study, What
from study_effects import Medians
from units import plural

LEAST_RUNS = 4  # of a history
MAX_HISTORIES = 60


@dataclass(frozen=True)
class Scaling:
    """Bus bandwidth by the number of nodes, or of ranks: of the settings that are best and worst at
    the most, and of those that set least."""

    title: str
    unit: str  # "nodes" or "ranks"
    lines: dict[str, dict[int, float]]


@dataclass(frozen=True)
class History:
    """Runs of one call with the same settings, in the order of time."""

    what: What
    settings: str
    points: list[Point]

    @property
    def last(self) -> Point:
        return self.points[-1]

    @property
    def before_us(self) -> list[float]:
        return [point.time_us for point in self.points[:-1]]

    @property
    def ratio(self) -> float:
        """The last time over the median of those before it."""
        return self.last.time_us / median(self.before_us)

    @property
    def outside(self) -> str:
        """Whether the last is slower or faster than each before it."""
        if self.last.time_us > max(self.before_us):
            return "slower"
        return "faster" if self.last.time_us < min(self.before_us) else ""


def scalings_of(study: Study, medians: Medians) -> list[Scaling]:
    """Of each collective at the largest size that has more than one number."""
    unit = "nodes" if len({what.nnodes for what in medians}) > 1 else "ranks"
    families: dict[tuple, dict[int, What]] = defaultdict(dict)
    for what in medians:
        if what.nranks == 1:
            continue  # its bandwidth is none of a network
        each = what.nranks // what.nnodes if unit == "nodes" else what.nnodes
        count = what.nnodes if unit == "nodes" else what.nranks
        families[(*what[:6], each)][count] = what
    largest: dict[str, tuple] = {}
    for family, whats in sorted(families.items(), key=lambda item: _usual_first(item[0])):
        collective = family[0]
        if len(whats) > 1 and (collective not in largest or family[5:] > largest[collective][5:]):
            largest[collective] = family
    found = []
    for collective in sorted(largest):
        lines: dict[str, dict[int, float]] = defaultdict(dict)
        for count, what in sorted(families[largest[collective]].items()):
            for index, points in study.points[what].items():
                lines[study.words(index)][count] = median(p.busbw_gbps for p in points)
        each = largest[collective][-1]
        others = (f"{plural(each, 'rank')} a node" if unit == "nodes" else
                  f"on {each} nodes" if each > 1 else "")
        title = ", ".join(filter(None, (what.words.rsplit(",", 1)[0], others)))
        if shown := _shown(lines):
            found.append(Scaling(title, unit, shown))
    return found


def _usual_first(family: tuple) -> tuple:
    """Float, a sum and out of place come before others, which come by name."""
    _, kind, redop, _, placement, *_ = family
    return kind != "float", redop != "sum", placement == "in_place", family


def _shown(lines: dict[str, dict[int, float]]) -> dict[str, dict[int, float]]:
    """A line for each settings would hide all others."""
    whole = [name for name, line in lines.items() if len(line) > 1 and max(line.values()) > 0]
    most = max((count for name in whole for count in lines[name]), default=0)
    ranked = sorted((name for name in whole if most in lines[name]),
                    key=lambda name: -lines[name][most])
    least = sorted(whole, key=lambda name: (name != NOTHING_SET, name.count("="), name))
    return {name: lines[name] for name in dict.fromkeys([*ranked[:1], *least[:1], *ranked[-1:]])}


def histories_of(study: Study) -> list[History]:
    """Of each collective at its largest size; those first whose last run differs most."""
    largest: dict[tuple, What] = {}
    for what in study.points:
        key = (*what[:5], what.nranks, what.nnodes)
        if key not in largest or what.bytes > largest[key].bytes:
            largest[key] = what
    found = []
    for what in largest.values():
        for index, points in study.points[what].items():
            if len({point.when for point in points}) >= LEAST_RUNS:
                ordered = sorted(points, key=lambda point: point.when)
                found.append(History(what, study.words(index), ordered))
    return sorted(found, key=lambda one: -max(one.ratio, 1 / one.ratio))[:MAX_HISTORIES]
