"""A run and its results, as linerate's JSON Lines hold them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Object = dict[str, Any]


@dataclass(frozen=True)
class Samples:
    """Median of n samples in microseconds; its 95 % interval, None where n is too small for one."""

    median: float
    interval: tuple[float, float] | None
    n: int


@dataclass(frozen=True)
class Result:
    """One case, one placement, one group. `wrong` is None where nothing was checked."""

    collective: str
    type: str
    redop: str
    root: int
    placement: str
    bytes: int
    count: int
    group: int
    pair: tuple[int, int] | None
    time_us: float
    algbw_gbps: float
    busbw_gbps: float
    samples: Samples | None
    wrong: int | None


@dataclass
class Run:
    """The run line as it stands, the results below it, and the end line if there is one."""

    path: Path
    info: Object
    results: list[Result] = field(default_factory=list)
    end: Object | None = None
    torn: bool = False


def _number(value: Any, key: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{key} is not a number")
    return float(value)


def _samples(line: Object) -> Samples | None:
    us = line.get("samples_us")
    if us is None:
        return None
    median, n = (_number(us.get(key), f"samples_us.{key}") for key in ("median", "n"))
    ends = ("ci95_low", "ci95_high")
    if not any(key in us for key in ends):
        return Samples(median, None, int(n)) if median > 0 else None
    low, high = (_number(us.get(key), f"samples_us.{key}") for key in ends)
    return Samples(median, (low, high), int(n)) if low > 0 else None


def result_of(line: Object) -> Result:
    case = line["case"]
    pair = case.get("pair")
    wrong = line.get("wrong")
    return Result(
        *(str(case[key]) for key in ("collective", "type", "redop")),
        root=int(_number(case["root"], "root")),
        placement=str(case["placement"]).replace("_", " "),
        bytes=int(_number(case["bytes"], "bytes")),
        count=int(_number(case["count"], "count")),
        group=int(_number(line.get("group", 0), "group")),
        pair=(int(pair[0]), int(pair[1])) if pair else None,
        time_us=_number(line["window"].get("time_us"), "window.time_us"),
        algbw_gbps=_number(line.get("algbw_gbps", 0), "algbw_gbps"),
        busbw_gbps=_number(line.get("busbw_gbps", 0), "busbw_gbps"),
        samples=_samples(line),
        wrong=None if wrong is None else int(_number(wrong, "wrong")),
    )
