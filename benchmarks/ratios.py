"""How many times faster: ratios and differences of medians, with their bootstrap intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 2000
LEAST_ROUNDS = 5  # fewer say nothing about their spread
SEED = 20260101  # the same runs give the same intervals


@dataclass(frozen=True)
class Estimate:
    """A value and its 95 % interval; without one where the rounds are too few."""

    value: float
    low: float | None = None
    high: float | None = None


Statistic = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _bootstrap(first: Sequence[float], second: Sequence[float], statistic: Statistic) -> Estimate:
    """Resamples rounds: both sides of a round were measured together, and stay together."""
    n = min(len(first), len(second))
    pair = np.array([first[:n], second[:n]], dtype=float)
    value = float(statistic(*np.median(pair, axis=1)))
    if n < LEAST_ROUNDS:
        return Estimate(value)
    chosen = np.random.default_rng(SEED).integers(0, n, size=(RESAMPLES, n))
    medians = np.median(pair[:, chosen], axis=2)
    low, high = np.percentile(statistic(*medians), (2.5, 97.5))
    return Estimate(value, float(low), float(high))


def ratio_of_medians(above: Sequence[float], below: Sequence[float]) -> Estimate:
    """Median of `above` over median of `below`; values of equal index are of one round."""
    return _bootstrap(above, below, lambda a, b: a / b)


def difference_of_medians(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """Median of `first` less median of `second`; values of equal index are of one round."""
    return _bootstrap(first, second, lambda a, b: a - b)
