"""What stands on the y axis, bus bandwidth or time, and the values that figures have of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from axes import Axis, linear_axis, log_axis
from cases import Figure
from units import format_time, significant

LEAST, MOST = 1e-9, 1e18  # that is drawn, GB/s or us


def drawable(value: float) -> bool:
    return LEAST <= value <= MOST


@dataclass(frozen=True)
class Quantity:
    """`value` is what a figure has; `of_run` what one of its runs has; `of_gbps` the same for a bus
    bandwidth, such as one that is expected."""

    key: str
    name: str
    axis_name: str
    label: Callable[[float], str]
    bandwidth: bool

    def value(self, figure: Figure) -> float:
        return figure.busbw_gbps if self.bandwidth else figure.time_us

    def range_of(self, figure: Figure) -> tuple[float, float]:
        """Of its runs."""
        values = [r.busbw_gbps if self.bandwidth else r.time_us for r in figure.results]
        return min(values), max(values)

    def of_gbps(self, figure: Figure, gbps: float) -> float:
        value = gbps if self.bandwidth else figure.bus_bytes / max(gbps, LEAST) / 1e3
        return min(max(value, LEAST), MOST)

    def axis(self, values: list[float], log: bool) -> Axis:
        """Linear axes begin at 0."""
        if log:
            return log_axis(min(values), max(values), self.label)
        return linear_axis(0, max(values), self.label)


def _gbps(value: float) -> str:
    return significant(value)


BUSBW = Quantity("busbw", "Bus bandwidth", "GB/s", _gbps, True)
LATENCY = Quantity("latency", "Time of one call", "time", format_time, False)
QUANTITIES = (BUSBW, LATENCY)
