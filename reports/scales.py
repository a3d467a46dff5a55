"""Logarithmic axes with labels that people read: 8 B, 1 KiB, 64 MiB; 10 µs, 1 ms."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from units import format_bytes

MAX_SIZE_TICKS = 9
GRID = "#E3E3E3"


def _powers_of_two(low: float, high: float) -> list[float]:
    powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
    return [2.0**power for power in powers] or [low]


def scale_sizes(axes: Axes, sizes: np.ndarray) -> None:
    """The x axis: message sizes in bytes."""
    low, high = float(sizes.min()), float(sizes.max())
    axes.set_xscale("log", base=2)
    margin = max((high / low) ** 0.03, 1.2)
    axes.set_xlim(low / margin, high * margin)
    powers = _powers_of_two(low, high)
    axes.xaxis.set_major_locator(FixedLocator(powers[:: -(-len(powers) // MAX_SIZE_TICKS)]))
    axes.xaxis.set_minor_locator(FixedLocator(powers))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_bytes(value)))
    axes.set_xlabel("message size")
    axes.grid(axis="both", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _value_ticks(low: float, high: float) -> list[float]:
    """Powers of ten; with 2 and 5 between them where there are few."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    multiples = (1, 2, 5) if last - first <= 3 else (1,)
    return [m * 10.0**power for power in range(first, last + 1) for m in multiples]


def scale_values(axes: Axes, values: np.ndarray, label: Callable[[float], str]) -> None:
    """The y axis: at least a factor of four, so that noise does not look like a trend."""
    low, high = float(values.min()), float(values.max())
    widen = max(4 / (high / low), 1.0) ** 0.5 * 1.15
    low, high = low / widen, high * widen
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.yaxis.set_major_locator(FixedLocator(_value_ticks(low, high)))
    axes.yaxis.set_minor_locator(FixedLocator([]))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: label(value)))
