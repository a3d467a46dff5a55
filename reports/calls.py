"""Single calls of a result: their times, who came late, and which algorithm ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from checked import (
    LONGEST_US,
    SHORTEST_US,
    Object,
    number_of,
    object_of,
    optional_number,
    text_of,
    time_of,
    whole_of,
)

MAX_LATE = 4096  # ranks of which lateness is kept


@dataclass(frozen=True)
class Samples:
    """Times of n samples in microseconds; the interval is None where n is too small for one."""

    median: float
    interval: tuple[float, float] | None  # 95 %, of the median
    n: int
    p95: float | None = None
    p99: float | None = None


@dataclass(frozen=True)
class Skew:
    """Of entries and exits, the last rank behind the first; `late_us` by rank, where known."""

    arrival_us: float | None
    exit_us: float | None
    late_us: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Ran:
    """What a library chose; empty texts where it does not say."""

    algorithm: str = ""
    protocol: str = ""
    channels: str = ""

    def __str__(self) -> str:
        channels = f"{self.channels} channels" if self.channels else ""
        return ", ".join(part for part in (self.algorithm, self.protocol, channels) if part)


def samples_of(line: Object) -> Samples | None:
    if line.get("samples_us") is None:
        return None
    us = object_of(line, "samples_us")
    n = whole_of(us.get("n"), "samples_us.n", least=1)
    median = number_of(us.get("median"), "samples_us.median")
    tails = [optional_number(us, key) for key in ("p95", "p99")]
    ends = ("ci95_low", "ci95_high")
    if not any(key in us for key in ends):
        if median <= 0:
            return None
        return Samples(time_of(median, "samples_us.median"), None, n, *tails)
    low, high = (number_of(us.get(key), f"samples_us.{key}") for key in ends)
    if not low <= median <= high <= LONGEST_US:
        raise ValueError("samples_us.median is not within its interval")
    return Samples(median, (low, high), n, *tails) if low >= SHORTEST_US else None


def _late(value: Any) -> tuple[tuple[int, float], ...]:
    """A list by rank, or of many ranks the worst as [rank, us]."""
    if isinstance(value, dict):
        rows = value.get("worst")
        pairs = [r for r in rows if isinstance(r, list) and len(r) == 2] \
            if isinstance(rows, list) else []
    else:
        pairs = list(enumerate(value)) if isinstance(value, list) else []
    return tuple(
        (whole_of(rank, "late_us"), number_of(us, "late_us")) for rank, us in pairs[:MAX_LATE]
    )


def skew_of(line: Object) -> Skew:
    return Skew(
        optional_number(line, "arrival_skew_us"),
        optional_number(line, "exit_skew_us"),
        _late(line.get("late_us")),
    )


def ran_of(line: Object) -> Ran:
    channels = line.get("channels")
    known = isinstance(channels, int) and not isinstance(channels, bool) and 0 < channels < 10**6
    return Ran(text_of(line.get("algorithm")), text_of(line.get("protocol")),
               str(channels) if known else "")
