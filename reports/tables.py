"""The results of one run as rows of a table: placements side by side, constant columns left out."""

from __future__ import annotations

from dataclasses import dataclass, field

from records import Result, Run, Samples
from units import column_interval, column_time, figures, format_bytes

Row = list[str]


@dataclass(frozen=True)
class Table:
    """Cells are text. `constant` says what all rows share; `placements` head groups of columns."""

    constant: str
    leading: list[str]
    placements: list[str]
    measured: list[str]
    rows: list[Row] = field(default_factory=list)


# How a trait of a result is headed and printed.
TRAITS = {
    "collective": lambda r: r.collective,
    "type": lambda r: r.type,
    "op": lambda r: r.redop,
    "root": lambda r: str(r.root) if r.root >= 0 else "none",
    "group": lambda r: str(r.group),
    "ranks": lambda r: f"{r.pair[0]} and {r.pair[1]}" if r.pair else "all",
}
UNREMARKABLE = frozenset({"none", "0", "all"})
MEASURED = ["time", "algbw", "busbw", "median", "95 % interval", "wrong"]


def _sampled(samples: Samples | None) -> tuple[str, str]:
    """Cells of the median and of its interval."""
    if samples is None:
        return "", ""
    if samples.interval is None:
        return column_time(samples.median), ""
    return column_interval(samples.median, *samples.interval)


def _measured(result: Result | None) -> Row:
    if result is None:
        return [""] * len(MEASURED)
    return [
        column_time(result.time_us),
        figures(result.algbw_gbps),
        figures(result.busbw_gbps),
        *_sampled(result.samples),
        "not checked" if result.wrong is None else str(result.wrong),
    ]


def table_of(run: Run) -> Table:
    """One row for each case and group, in the order of measurement."""
    texts = {name: list(map(text, run.results)) for name, text in TRAITS.items()}
    varying = [name for name, values in texts.items() if len(set(values)) > 1]
    constant = [
        f"{name} {values[0]}"
        for name, values in texts.items()
        if name not in varying and values[0] not in UNREMARKABLE
    ]
    placements = list(dict.fromkeys(result.placement for result in run.results))
    cases: dict[tuple[object, ...], dict[str, Result]] = {}
    for index, result in enumerate(run.results):
        key = (result.bytes, result.count, *(texts[name][index] for name in varying))
        cases.setdefault(key, {})[result.placement] = result
    table = Table(", ".join(constant), ["size", "count", *varying], placements, MEASURED)
    for key, by_placement in cases.items():
        size, count, *traits = key
        row = [format_bytes(size), f"{count:,}".replace(",", " "), *map(str, traits)]
        for placement in placements:
            row += _measured(by_placement.get(placement))
        table.rows.append(row)
    return table
