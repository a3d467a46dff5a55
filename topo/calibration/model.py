"""The forecast's formula (topo/model/forecast.cc) over many points at once, and its parameters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from points import SCALES, Point

START = {
    "host_us/one": 8, "host_us/several": 8, "latency_share/one": 1, "latency_share/several": 1,
    "nic_share": 0.5, "fill_us/Tree": 20, "fill_us/Ring": 20, "fill_us/NVLS": 45,
    "fill_us/NVLSTree": 200,
    "sends.host_us/one": 9, "sends.host_us/several": 14,
    "sends.peer_us/one": 0.3, "sends.peer_us/several": 1.6,
    "sends.fill_us/one": 30, "sends.fill_us/several": 60,
    "sends.channel_share/Simple": 0.94, "sends.channel_share/LL": 0.22,
}
# How far logarithms may go from their start, by what a name begins with; others: 1.
SPREAD = {"efficiency": 0.3, "own": 0.15, "own_host": 0.3, "host_us": 0.3}
NET_CHANNEL_GBPS = 14.0  # of a send, between nodes, by NCCL: NCCL_P2P_PER_CHANNEL_NET_BW
MOVED = 1000.0  # bytes in a microsecond at 1 GB/s
TINY = 1e-9


def efficiency_names(point: Point) -> tuple[str, str]:
    """That of all generations, and of rings how this one differs from it."""
    return f"efficiency/{point.way}", f"own/{point.machine}/{point.way}" if point.ring else ""


def uses(point: Point) -> dict[str, str]:
    """The parameters of a point by their place in the formula; "" is one that is always 1."""
    scale = SCALES[point.scale]
    name, own = efficiency_names(point)
    common = {"efficiency": name, "own": own}
    if point.sends:
        return common | {"host": f"sends.host_us/{scale}", "slope": f"sends.peer_us/{scale}",
                         "fill": f"sends.fill_us/{scale}", "own_host": "", "nic": "",
                         "share": f"sends.channel_share/{point.protocol}"}
    own_host = point.scale == 0 or point.machine == "blackwell_rack"  # else the network rules
    return common | {"host": f"host_us/{scale}",
                     "own_host": f"own_host/{point.machine}/{scale}" if own_host else "",
                     "slope": f"latency_share/{scale}", "nic": "nic_share",
                     "fill": f"fill_us/{point.row['algorithm']}", "share": ""}


@dataclass(frozen=True)
class Problem:
    """Columns of all points, and the number of the parameter that each has at each place."""

    points: list[Point]
    names: list[str]
    columns: dict[str, np.ndarray]
    places: dict[str, np.ndarray]


def problem(points: Iterable[Point]) -> Problem:
    points = list(points)
    used = [uses(point) for point in points]
    names = ["", *sorted({*START, *(name for use in used for name in use.values())} - {""})]
    number = {name: n for n, name in enumerate(names)}
    sends = np.array([point.sends for point in points])

    def column(name: str) -> np.ndarray:
        return np.array([point.parts.get(name, 0.0) for point in points], dtype=float)

    channels = MOVED * np.maximum(column("channels") * column("channel_gbps"), TINY)
    simple = np.array([point.protocol == "Simple" for point in points])
    columns = {"slope": np.where(sends, column("peers") - 1, column("latency_us")),
               "nic": column("nic_us"), "move": column("transfer_us") + column("link_us"),
               "channels_us": np.where(sends, column("moved_bytes") / channels, 0),
               "crossing": (column("crossing_bytes") * simple
                            / np.maximum(MOVED * NET_CHANNEL_GBPS * column("net_channels"), TINY)),
               "depth": np.where(sends, 1, column("depth")),
               "simple": simple,
               "measured": np.array([point.time_us for point in points])}
    places = {place: np.array([number[use[place]] for use in used]) for place in used[0]}
    return Problem(points, names, columns, places)


def times_us(of: Problem, x: np.ndarray) -> np.ndarray:
    """`x`: logarithms of the parameters in the order of their names; the first is 0."""
    value = np.exp(x)
    at = {place: value[numbers] for place, numbers in of.places.items()}
    move = np.maximum.reduce([of.columns["move"] / (at["efficiency"] * at["own"]),
                              of.columns["channels_us"] / at["share"],
                              of.columns["crossing"]])
    fill = at["fill"] * of.columns["depth"] * of.columns["simple"]
    return (at["host"] * at["own_host"] + at["slope"] * of.columns["slope"]
            + at["nic"] * of.columns["nic"] + move + fill * move / np.maximum(move + fill, TINY))


def start(names: list[str]) -> np.ndarray:
    return np.log([START.get(name, 1.0) for name in names])


def spreads(names: list[str]) -> np.ndarray:
    """How far each parameter may go from where it starts."""
    return np.array([SPREAD.get(name.split("/")[0], 1.0) if name else 1e-6 for name in names])
