"""Single calls: how they vary, how far ranks are apart, who comes late, and what ran."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from cases import Figure
from records import Result
from sides import Side
from tables import Cell, Table, size_cell, trait_cells, varying
from units import column_interval, column_time, format_time

LATE = 0.1  # of a call's time: then a rank's lateness, or the skew, shows in the result
MAX_RANKS = 16  # of the list


def _time(value: float | None, look: str = "") -> Cell:
    return Cell("", None) if value is None else Cell(
        column_time(value) if value > 0 else "0", value, look)


def _skew(value: float | None, result: Result) -> Cell:
    late = value is not None and value > LATE * result.time_us
    return _time(value, "late" if late else "")


def _latest(result: Result) -> Cell:
    if not result.skew.late_us:
        return Cell("")
    rank, late_us = max(result.skew.late_us, key=lambda entry: entry[1])
    look = "late" if late_us > LATE * result.time_us else ""
    return Cell(f"{rank}: {format_time(late_us)}" if late_us > 0 else "", late_us, look)


HEADS = ("size", "placement", "n", "median", "95 % interval", "p95", "p99", "arrival skew",
         "exit skew", "latest rank")


def _row(figure: Figure, parts: list[str]) -> list[Cell]:
    result, case = figure.middle, figure.case
    samples = result.samples
    assert samples is not None
    middle, span = (column_time(samples.median), "")
    if samples.interval:
        middle, span = column_interval(samples.median, *samples.interval)
    return [*trait_cells(case.trait, parts), size_cell(case.bytes),
            Cell(case.placement, look="name"), Cell(str(samples.n)),
            Cell(middle, samples.median), Cell(span, samples.median, "span"),
            _time(samples.p95), _time(samples.p99),
            _skew(result.skew.arrival_us, result), _skew(result.skew.exit_us, result),
            _latest(result)]


def calls_table(side: Side) -> Table | None:
    """Of the samples, the second pass. Of repeated runs that with the median time."""
    sampled = [figure for figure in side.figures.values() if figure.middle.samples]
    if not sampled:
        return None
    parts, constant = varying(figure.case.trait for figure in sampled)
    table = Table([*parts, *HEADS], constant=constant)
    table.rows = [_row(figure, parts) for figure in table.kept(sampled)]
    return table


@dataclass(frozen=True)
class LateRank:
    """How much later than the first a rank enters calls."""

    rank: int
    median_us: float
    worst_us: float
    where: str
    late_results: int  # in which it is late by more than LATE of the time
    results: int
    part: float  # of the latest rank's median, for a bar

    @property
    def text(self) -> str:
        if self.worst_us <= 0:
            return "never after the first"
        return (f"median {format_time(self.median_us)}, at most {format_time(self.worst_us)} "
                f"({self.where})")


def late_ranks(side: Side) -> list[LateRank]:
    """The latest first; empty where nobody is known to be late."""
    by_rank: dict[int, list[tuple[float, Figure]]] = {}
    for figure in side.figures.values():
        if figure.case.trait.group == 0:
            for rank, late_us in figure.middle.skew.late_us:
                by_rank.setdefault(rank, []).append((late_us, figure))
    if len(by_rank) < 2:
        return []
    middles = {rank: median(us for us, _ in late) for rank, late in by_rank.items()}
    ranks = sorted(by_rank, key=lambda rank: -middles[rank])[:MAX_RANKS]
    most = max(middles[ranks[0]], 1e-9)
    found = []
    for rank in ranks:
        worst_us, figure = max(by_rank[rank], key=lambda entry: entry[0])
        late = sum(us > LATE * f.time_us for us, f in by_rank[rank])
        found.append(LateRank(rank, middles[rank], worst_us,
                              f"{figure.case.trait.collective}, {figure.case.where}",
                              late, len(by_rank[rank]), middles[rank] / most))
    return found if any(rank.worst_us > 0 for rank in found) else []


def late_sentence(ranks: list[LateRank]) -> str:
    late = [rank for rank in ranks if 2 * rank.late_results > rank.results]
    if not late:
        return f"No rank is late by more than {100 * LATE:.0f} % of a call in most results."
    names = ", ".join(f"{rank.rank} ({rank.late_results} of {rank.results} results)"
                      for rank in late[:8])
    return f"Late by more than {100 * LATE:.0f} % of a call in most results: rank {names}."
