"""What each setting changes: times of runs that differ in nothing else."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from study_data import Settings, Study, What

UNSET = "unset"

Medians = dict[What, dict[int, float]]  # microseconds by settings


@dataclass(frozen=True)
class Effect:
    """Of one value of a setting against another: B's times over A's, one for each call."""

    setting: str
    value: str
    against: str
    logs: list[float]
    strongest: What  # where it is farthest from 1
    strongest_log: float

    @property
    def ratio(self) -> float:
        return math.exp(median(self.logs))

    def quantile(self, part: float) -> float:
        ordered = sorted(self.logs)
        return math.exp(ordered[min(int(part * len(ordered)), len(ordered) - 1)])

    @property
    def size(self) -> float:
        return abs(median(self.logs))


def medians_of(study: Study) -> Medians:
    return {what: {index: median(point.time_us for point in points)
                   for index, points in by_settings.items()}
            for what, by_settings in study.points.items()}


def _values(settings: list[Settings]) -> dict[str, list[str]]:
    """Of each setting that varies its values in the file's order; unset comes first."""
    names = sorted({name for one in settings for name, _ in one})
    found = {}
    for name in names:
        values = list(dict.fromkeys(dict(one).get(name, UNSET) for one in settings))
        if len(values) > 1:
            found[name] = sorted(values, key=lambda value: value != UNSET)
    return found


def _effects_of(study: Study, medians: Medians, name: str, values: list[str]) -> list[Effect]:
    rest = [(tuple(pair for pair in one if pair[0] != name), dict(one).get(name, UNSET))
            for one in study.settings]
    pairs: dict[str, list[tuple[float, What]]] = defaultdict(list)
    for what, times in medians.items():
        groups: dict[Settings, dict[str, float]] = defaultdict(dict)
        for index, time_us in times.items():
            others, value = rest[index]
            groups[others][value] = time_us
        for group in groups.values():
            if values[0] in group:
                for value, time_us in group.items():
                    pairs[value].append((math.log(time_us / group[values[0]]), what))
    effects = []
    for value in values[1:]:
        if pairs[value]:
            log, where = max(pairs[value], key=lambda pair: abs(pair[0]))
            effects.append(Effect(name, value, values[0], [log for log, _ in pairs[value]],
                                  where, log))
    return effects


def effects_of(study: Study, medians: Medians) -> list[Effect]:
    """The largest first."""
    effects = [effect for name, values in _values(study.settings).items()
               for effect in _effects_of(study, medians, name, values)]
    return sorted(effects, key=lambda effect: -effect.size)
