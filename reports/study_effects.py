"""What each setting changes: times of runs that differ in nothing else."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from study_data import Settings, Study, What

UNSET = "unset"
MAX_EXACT = 1000  # values; of more the normal approximation

Medians = dict[What, dict[int, float]]  # microseconds by settings


@dataclass(frozen=True)
class Effect:
    """Of one value of a setting against another: logarithms of B's times over A's."""

    setting: str
    value: str
    against: str
    run_logs: list[float]  # of each pair of runs, the median over its calls
    logs: list[float]  # of each call
    strongest: What  # the call that is farthest from 1
    strongest_log: float

    @cached_property
    def ratio(self) -> float:
        return math.exp(median(self.run_logs))

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """95 %, between runs: samples of one run resemble each other, and count once."""
        found = median_interval(self.run_logs)
        return found and (math.exp(found[0]), math.exp(found[1]))

    @property
    def may_be_none(self) -> bool:
        return self.interval is not None and self.interval[0] <= 1 <= self.interval[1]

    @property
    def most(self) -> float:
        return math.exp(self.strongest_log)

    def quantile(self, part: float) -> float:
        ordered = sorted(self.logs)
        return math.exp(ordered[round(part * (len(ordered) - 1))])


def median_interval(values: list[float]) -> tuple[float, float] | None:
    """95 % of their median by order statistics, as src/stats/summary.cc; None of fewer than six."""
    ordered, n, k, below = sorted(values), len(values), 0, 0.0
    if n > MAX_EXACT:
        k = math.floor((n + 1 - 1.96 * math.sqrt(n)) / 2)
    else:
        while (below := below + math.comb(n, k) / 2**n) <= 0.025:
            k += 1
    return (ordered[k - 1], ordered[n - k]) if k else None


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
    runs: dict[str, dict[tuple[int, int], list[float]]] = defaultdict(lambda: defaultdict(list))
    for what, times in medians.items():
        groups: dict[Settings, dict[str, int]] = defaultdict(dict)
        for index in times:
            others, value = rest[index]
            groups[others][value] = index
        for group in groups.values():
            against = group.pop(values[0], None)
            if against is None:
                continue
            for value, index in group.items():
                pairs[value].append((math.log(times[index] / times[against]), what))
                points = study.points[what]
                for a, b in zip(points[against], points[index], strict=False):
                    runs[value][a.run, b.run].append(math.log(b.time_us / a.time_us))
    effects = []
    for value in values[1:]:
        if pairs[value]:
            log, where = max(pairs[value], key=lambda pair: abs(pair[0]))
            effects.append(Effect(name, value, values[0], list(map(median, runs[value].values())),
                                  [log for log, _ in pairs[value]], where, log))
    return effects


def effects_of(study: Study, medians: Medians) -> list[Effect]:
    """The largest first."""
    effects = [effect for name, values in _values(study.settings).items()
               for effect in _effects_of(study, medians, name, values)]
    return sorted(effects, key=lambda effect: -abs(math.log(effect.ratio)))
