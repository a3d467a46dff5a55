"""What stands on the y axis, bus bandwidth or time, and the values that a curve has of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from series import Point
from units import format_time, significant


@dataclass(frozen=True)
class Band:
    """Three values of each point: what is drawn, and the interval around it."""

    sizes: np.ndarray
    middle: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True)
class Quantity:
    """What stands on the y axis."""

    name: str
    axis: str
    bandwidth: bool

    def band(self, points: tuple[Point, ...]) -> Band:
        rows = [
            (p.bytes, *(p.gbps(t) for t in (p.time_us, p.high_us, p.low_us)))
            if self.bandwidth
            else (p.bytes, p.time_us, p.low_us, p.high_us)
            for p in points
        ]
        return Band(*np.array([row for row in rows if row[1] > 0], dtype=float).reshape(-1, 4).T)

    def label(self, value: float) -> str:
        return significant(value) if self.bandwidth else format_time(value)


BUSBW = Quantity("Bus bandwidth", "bus bandwidth (GB/s, 1 GB = 10⁹ B)", True)
LATENCY = Quantity("Latency", "time of one call", False)
