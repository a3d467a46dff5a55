"""A run and its results, as linerate's JSON Lines hold them; each value is checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from checked import (
    LONGEST_US,
    SHORTEST_US,
    Object,
    number_of,
    object_of,
    time_of,
    whole_of,
    word_of,
)

MAX_RANKS = 1024  # of a matrix of pairs
PLACEMENTS = ("out_of_place", "in_place")


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


def _samples(line: Object) -> Samples | None:
    if line.get("samples_us") is None:
        return None
    us = object_of(line, "samples_us")
    n = whole_of(us.get("n"), "samples_us.n", least=1)
    median = number_of(us.get("median"), "samples_us.median")
    ends = ("ci95_low", "ci95_high")
    if not any(key in us for key in ends):
        return Samples(time_of(median, "samples_us.median"), None, n) if median > 0 else None
    low, high = (number_of(us.get(key), f"samples_us.{key}") for key in ends)
    if not low <= median <= high <= LONGEST_US:
        raise ValueError("samples_us.median is not within its interval")
    return Samples(median, (low, high), n) if low >= SHORTEST_US else None


def _placement(case: Object) -> str:
    if case["placement"] not in PLACEMENTS:
        raise ValueError("case.placement is neither out_of_place nor in_place")
    return str(case["placement"]).replace("_", " ")


def _pair(case: Object) -> tuple[int, int] | None:
    pair = case.get("pair")
    if pair is None:
        return None
    if not isinstance(pair, list) or len(pair) != 2:
        raise ValueError("case.pair is not a list of two ranks")
    source, dest = (whole_of(rank, "case.pair", most=MAX_RANKS - 1) for rank in pair)
    return source, dest


def result_of(line: Object) -> Result:
    """Raises ValueError or KeyError where a value is missing, of another kind or out of range."""
    case = object_of(line, "case")
    wrong = line.get("wrong")
    return Result(
        root=whole_of(case["root"], "case.root", least=-1),
        collective=word_of(case, "collective"),
        type=word_of(case, "type"),
        redop=word_of(case, "redop"),
        placement=_placement(case),
        bytes=whole_of(case["bytes"], "case.bytes"),
        count=whole_of(case["count"], "case.count"),
        group=whole_of(line.get("group", 0), "group"),
        pair=_pair(case),
        time_us=time_of(object_of(line, "window").get("time_us"), "window.time_us"),
        algbw_gbps=number_of(line.get("algbw_gbps", 0), "algbw_gbps"),
        busbw_gbps=number_of(line.get("busbw_gbps", 0), "busbw_gbps"),
        samples=_samples(line),
        wrong=None if wrong is None else whole_of(wrong, "wrong"),
    )
