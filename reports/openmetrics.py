"""Results as OpenMetrics text: for node_exporter's textfile collector, or a push gateway.

A line for each case, in base units. Where a file holds several runs of one case, the last one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from records import Result, Run

GIGA, MICRO = 1e9, 1e-6
# Name, unit as the name ends, what it is, and its value; None: this result has none.
Value = Callable[[Result], float | int | None]
METRICS: tuple[tuple[str, str, str, Value], ...] = (
    ("bus_bandwidth", "bytes_per_second", "Bus bandwidth as nccl-tests counts it",
     lambda r: r.busbw_gbps * GIGA),
    ("algorithm_bandwidth", "bytes_per_second", "Size over time", lambda r: r.algbw_gbps * GIGA),
    ("expected_bus_bandwidth", "bytes_per_second", "What this machine should reach",
     lambda r: r.expected.busbw_gbps * GIGA if r.expected else None),
    ("least_healthy_bus_bandwidth", "bytes_per_second", "Below this a result is low",
     lambda r: r.expected.low_gbps / max(r.expected.slack, 1) * GIGA if r.expected else None),
    ("call", "seconds", "Time of one call, the mean over ranks", lambda r: r.time_us * MICRO),
    ("low", "", "1: below what is healthy",
     lambda r: int(r.expected.verdict == "low") if r.expected else None),
    ("wrong_elements", "", "Elements that were wrong", lambda r: r.wrong),
)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r'\"').replace("\n", r"\n")


def _labels(labels: dict[str, object]) -> str:
    return ",".join(f'{key}="{_escaped(str(value))}"' for key, value in labels.items())


def _of_result(run: Run, result: Result) -> str:
    labels: dict[str, object] = {
        "collective": result.collective, "bytes": result.bytes, "type": result.type,
        "redop": result.redop, "root": result.root,
        "placement": result.placement.replace(" ", "_"), "group": result.group,
        "backend": run.info.get("backend", ""), "ranks": run.info.get("nranks", ""),
        "nodes": run.info.get("nnodes", "")}
    if result.pair:
        labels |= {"source": result.pair[0], "destination": result.pair[1]}
    if result.copy:
        labels |= {"engine": result.copy.engine, "row": result.copy.row,
                   "column": result.copy.column}
    return _labels(labels)


def _family(name: str, unit: str, help_text: str, samples: dict[str, object]) -> list[str]:
    full = f"linerate_{name}_{unit}" if unit else f"linerate_{name}"
    head = [f"# TYPE {full} gauge"] + ([f"# UNIT {full} {unit}"] if unit else [])
    lines = [f"{full}{{{labels}}} {value}" for labels, value in samples.items()]
    return [*head, f"# HELP {full} {help_text}", *lines] if lines else []


def openmetrics(runs: list[Run]) -> str:
    lines: list[str] = []
    for name, unit, help_text, value in METRICS:
        samples: dict[str, object] = {}
        for run in runs:
            for result in run.results:
                if (found := value(result)) is not None:
                    samples[_of_result(run, result)] = found
        lines += _family(name, unit, help_text, samples)
    codes = {_labels({"program": run.info.get("program", "")}): run.end["exit_code"]
             for run in runs if run.end and isinstance(run.end.get("exit_code"), int)}
    lines += _family("exit_code", "", "Of the last run of a program", codes)
    return "\n".join([*lines, "# EOF", ""])


def write_openmetrics(runs: list[Run], path: Path) -> None:
    """Whole or not at all: a collector may read it at any moment."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(openmetrics(runs), encoding="utf-8")
    part.replace(path)
