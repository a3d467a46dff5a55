"""Which settings take the least time, over all calls and of each."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass

from study_data import Study, What
from study_effects import Medians

ALIKE = 1.03  # a time within this of the best is as good


@dataclass(frozen=True)
class Winner:
    """How good settings are over all calls that were made with more than one."""

    words: str
    calls: int
    fastest: int  # calls in which nothing is faster by more than 3 %
    loss: float  # of time to the best of each call: geometric mean


@dataclass(frozen=True)
class Spread:
    """Best and worst settings of one call."""

    what: What
    best: str
    best_us: float
    worst: str
    worst_us: float

    @property
    def factor(self) -> float:
        return self.worst_us / self.best_us


def winners_of(study: Study, medians: Medians) -> list[Winner]:
    """Those first that lose least, among them that have most of the calls."""
    calls: Counter[int] = Counter()
    fastest: Counter[int] = Counter()
    losses: dict[int, float] = defaultdict(float)
    for times in medians.values():
        if len(times) < 2:
            continue
        best = min(times.values())
        for index, time_us in times.items():
            calls[index] += 1
            fastest[index] += time_us <= ALIKE * best
            losses[index] += math.log(time_us / best)
    most = max(calls.values(), default=0)
    return [Winner(study.words(index), calls[index], fastest[index],
                   math.exp(losses[index] / calls[index]) - 1)
            for index in sorted(calls, key=lambda i: (2 * calls[i] < most, losses[i] / calls[i]))]


def spreads_of(study: Study, medians: Medians) -> list[Spread]:
    """The farthest apart first."""
    spreads = []
    for what, times in medians.items():
        if len(times) > 1:
            best, worst = min(times, key=times.__getitem__), max(times, key=times.__getitem__)
            spreads.append(Spread(what, study.words(best), times[best], study.words(worst),
                                  times[worst]))
    return sorted(spreads, key=lambda spread: -spread.factor)
