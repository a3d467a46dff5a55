"""Axes of charts: where a value lies, and ticks with labels that people read."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from units import format_bytes

Label = Callable[[float], str]
Tick = tuple[float, str]
MAX_SIZE_TICKS = 7
MANY_DECADES = 4  # more labels would touch


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, linear or logarithmic; ticks without a label are only lines."""

    low: float
    high: float
    log: bool
    ticks: tuple[Tick, ...]

    def part(self, value: float) -> float:
        """0 at the low end, 1 at the high one."""
        if self.log:
            value = max(value, self.low)
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def _step(width: float, most: int) -> float:
    """1, 2 or 5 times a power of ten: `most` steps cover the width."""
    power = 10.0 ** math.floor(math.log10(width / most))
    return next(m * power for m in (1, 2, 5, 10) if m * power * most >= width * (1 - 1e-9))


def linear_axis(low: float, high: float, label: Label) -> Axis:
    """Ends on ticks, at least as far apart as a hundredth of the value."""
    width = max(high - low, abs(high) / 100, 1e-9)
    step = _step(width, 5)
    first, last = math.floor(low / step + 1e-9), math.ceil((low + width) / step - 1e-9)
    ticks = tuple((i * step, label(i * step)) for i in range(first, last + 1))
    return Axis(first * step, last * step, False, ticks)


def _decade_ticks(low: float, high: float) -> list[float]:
    first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
    return [m * 10.0**power for power in range(first, last + 1) for m in (1, 2, 5)]


def log_axis(low: float, high: float, label: Label, many_decades: int = MANY_DECADES) -> Axis:
    """Ends on 1, 2 or 5 of a decade, at least a factor of four apart: noise is no trend. From
    `many_decades` on only powers of ten have a label."""
    widen = math.sqrt(max(4 / (high / low), 1))
    low, high = low / widen, high * widen
    all_ticks = _decade_ticks(low, high)
    bottom = max(t for t in all_ticks if t <= low * (1 + 1e-9))
    top = min(t for t in all_ticks if t >= high * (1 - 1e-9))
    inside = [t for t in all_ticks if bottom <= t <= top]
    many = top / bottom >= 10**many_decades

    def is_power(tick: float) -> bool:
        return abs(math.log10(tick) - round(math.log10(tick))) < 1e-6
    return Axis(bottom, top, True, tuple(
        (t, label(t) if not many or is_power(t) else "")
        for t in inside if not many or is_power(t) or t in (bottom, top)
    ))


def size_axis(sizes: list[int]) -> Axis:
    """Message sizes: powers of two, as many of them labelled as have room."""
    low, high = min(sizes), max(sizes)
    margin = max((high / low) ** 0.03, 1.2)
    powers = [2.0**p for p in range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)]
    powers = powers or [float(low)]
    every = -(-len(powers) // MAX_SIZE_TICKS)
    ticks = tuple((p, format_bytes(p) if i % every == 0 else "") for i, p in enumerate(powers))
    return Axis(low / margin, high * margin, True, ticks)
