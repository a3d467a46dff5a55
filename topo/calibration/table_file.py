"""Writes what was fitted as C++: topo/model/forecast_parameters.h."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np

from model import NET_CHANNEL_GBPS, efficiency_names
from points import BANDS, SCALES, Point
from validation import KINDS, MANY, Cell, published

FILE = Path(__file__).resolve().parents[1] / "model" / "forecast_parameters.h"
ALGORITHMS = {"Tree": "tree", "Ring": "ring", "NVLS": "nvls", "NVLSTree": "nvls_tree", "PAT": "pat"}
HEAD = """\
// Written by topo/calibration/fit.py from published.json: fit again instead of editing.
#pragma once

#include "topo/model/forecast_table.h"

namespace linerate::topo {

"""


def number(value: float) -> str:
    return f"{value:.3g}"


def list_of(values: list[float]) -> str:
    return "{" + ", ".join(number(value) for value in values) + "}"


def efficiency_rows(logs: dict[str, float], points: list[Point]) -> list[str]:
    """Of Simple: those of all machines, and of rings those of each."""
    rows = {}
    for point in points:
        if point.sends or point.protocol != "Simple":
            continue
        algorithm, nodes = point.way.split("@")
        every, own = efficiency_names(point)
        more = algorithm.endswith("+")
        rows[algorithm, nodes, point.machine if more else ""] = logs[every]
        if own:
            rows[algorithm, nodes, point.machine] = logs[every] + logs[own]
    return [f"    {{{f'Machine::{machine}' if machine else '{}'}, "
            f"Algorithm::{ALGORITHMS[algorithm.rstrip('+')]}, {nodes}, {number(np.exp(log))}"
            f"{', kMoreCtas' if algorithm.endswith('+') else ''}}},"
            for (algorithm, nodes, machine), log in sorted(rows.items())]


def published_rows(points: list[Point]) -> list[str]:
    return [f"    {{Machine::{of.machine}, {of.gpus}, {of.nodes}, {number(of.ring_gbps)}, "
            f'"{of.collective}", "{by}"}},' for of, by in sorted(published(points))]


def parameters(logs: dict[str, float], bands: dict[Cell, tuple[float, float]]) -> str:
    value = {name: float(np.exp(log)) for name, log in logs.items()}

    def by_scale(name: str) -> str:
        return list_of([value.get(f"{name}/{scale}", 1.0) for scale in SCALES])

    hosts = [list_of([value[f"host_us/{scale}"] * value.get(f"own_host/{machine}/{scale}", 1.0)
                      for scale in SCALES])
             for machine in ("volta", "ampere", "hopper", "blackwell", "blackwell_rack", "other")]
    fills = [value.get(f"fill_us/{name}", value["fill_us/Ring"]) for name in ALGORITHMS]
    tables = ["{{" + ", ".join("{{" + ", ".join(list_of([*bands[(kind, band, n)]])
                                                for n in range(MANY + 1)) + "}}"
                               for band in range(len(BANDS))) + "}}"
              for kind in range(len(KINDS))]
    return f"""\
inline constexpr ForecastParameters kForecast{{
    .host_us = {{{{{", ".join(hosts)}}}}},
    .latency_share = {by_scale("latency_share")},
    .nic_share = {number(value["nic_share"])},
    .ll_efficiency = {number(value["efficiency/LL"])},
    .ll128_efficiency = {number(value["efficiency/LL128"])},
    .fill_us = {list_of(fills)},
    .sends = {{.host_us = {by_scale("sends.host_us")},
              .peer_us = {by_scale("sends.peer_us")},
              .fill_us = {by_scale("sends.fill_us")},
              .channel_share = {number(value["sends.channel_share/Simple"])},
              .ll_channel_share = {number(value["sends.channel_share/LL"])},
              .net_channel_gbps = {number(NET_CHANNEL_GBPS)},
              .efficiency = {by_scale("efficiency/sends")}}},
    .bands = {{{{{", ".join(tables)}}}}},
}};
"""


def write(logs: dict[str, float], points: list[Point],
          bands: dict[Cell, tuple[float, float]]) -> None:
    text = HEAD + "inline constexpr EfficiencyRow kEfficiencies[] = {\n"
    text += "\n".join(efficiency_rows(logs, points)) + "\n};\n\n"
    text += "inline constexpr PublishedRow kPublished[] = {\n" + "\n".join(published_rows(points))
    text += "\n};\n\n" + parameters(logs, bands) + "\n}  // namespace linerate::topo\n"
    FILE.write_text(text)
    subprocess.run(["clang-format", "-i", FILE], check=True)
