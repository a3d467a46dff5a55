"""Numbers as people read them: 8 B, 64 MiB; 12 µs, 1.5 ms; 0.25, 12.4 GB/s."""

from __future__ import annotations

import math


def significant(value: float, digits: int = 3) -> str:
    """`digits` figures, no exponent, no trailing zeros after the point: 0.00123, 1.5, 1230."""
    if value == 0:
        return "0"
    text = f"{float(f'{value:.{digits}g}'):.12f}"
    return text.rstrip("0").rstrip(".")


def factor(value: float) -> str:
    """A ratio in words and columns: 0.0123, 0.97, 5.50, 29.1, 2130."""
    return f"{value:.2f}" if 0.1 <= value < 10 else significant(value)


def format_bytes(count: float) -> str:
    """Binary units: 1 KiB is 1024 B."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{significant(count, 4)} {unit}"
        count /= 1024
    return f"{significant(count, 4)} TiB"


def _time_unit(time_us: float) -> tuple[str, float]:
    """The unit that leaves one to three figures before the point, and its microseconds."""
    for unit, scale in (("ns", 1e-3), ("µs", 1.0), ("ms", 1e3)):
        if time_us < 999.5 * scale:
            return unit, scale
    return "s", 1e6


def format_time(time_us: float) -> str:
    """Nanoseconds to seconds, three figures, no trailing zeros: for axes and sentences."""
    if time_us == 0:
        return "0"
    unit, scale = _time_unit(time_us)
    return f"{significant(time_us / scale)} {unit}"


def figures(value: float, digits: int = 3) -> str:
    """Exactly so many figures, for columns: 0.00270, 1.00, 12.4, 450."""
    if value <= 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(value)))
    return f"{value:.{decimals}f}"


def column_time(time_us: float) -> str:
    """A time in a column: three figures and the unit."""
    unit, scale = _time_unit(time_us)
    return f"{figures(time_us / scale)} {unit}"


def column_interval(middle_us: float, low_us: float, high_us: float) -> tuple[str, str]:
    """A value and its interval in the unit of the upper end: 3.00 µs, 2.93 … 3.11 µs."""
    unit, scale = _time_unit(high_us)
    middle, low, high = (figures(time_us / scale) for time_us in (middle_us, low_us, high_us))
    return f"{middle} {unit}", f"{low} … {high} {unit}"


def format_gbps(value: float) -> str:
    return f"{significant(value)} GB/s"


def format_collective(name: str) -> str:
    """As people say it: all_reduce stays, memcpy_h2d_ce is h2d ce."""
    return name.removeprefix("memcpy_").removeprefix("p2p_")


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
