"""Point to point results as matrices: a row for each source rank, a column for each destination."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from matplotlib.axes import Axes

from records import Result, Run
from series import run_labels
from units import format_bytes, significant

LATENCY = "p2p_latency"
MAX_WRITTEN = 16  # more ranks than this, and numbers in the cells are no longer read


@dataclass(frozen=True)
class Matrix:
    """All pairs of one kind at one size."""

    title: str
    unit: str
    bandwidth: bool
    ordered: bool  # whether (a, b) is another measurement than (b, a)
    results: list[Result]

    @cached_property
    def values(self) -> np.ndarray:
        """NaN where a pair was not measured. Made when it is drawn: few of many matrices are."""
        ranks = 1 + max(max(r.pair) for r in self.results if r.pair)
        values = np.full((ranks, ranks), np.nan)
        for result in self.results:
            source, destination = result.pair or (0, 0)
            values[source, destination] = _value(result)
            if not self.ordered:
                values[destination, source] = _value(result)
        return values


def _value(result: Result) -> float:
    if result.collective != LATENCY:
        return result.busbw_gbps
    return result.samples.median if result.samples else result.time_us


def _matrix(label: str, results: list[Result]) -> Matrix:
    """All `results` are of one collective and one size. Only ordered kinds fill both triangles."""
    first = results[0]
    pairs = {result.pair for result in results if result.pair}
    ordered = first.collective == "p2p_unidirectional" or any(p[::-1] in pairs for p in pairs)
    name = first.collective.removeprefix("p2p_").replace("_", " ")
    bandwidth = first.collective != LATENCY
    quantity, unit = ("bandwidth", "GB/s") if bandwidth else ("", "µs")
    title = f"{name} {quantity}".strip() + f", {format_bytes(first.bytes)}" + label
    return Matrix(title, unit, bandwidth, ordered, results)


def matrices_of(runs: list[Run]) -> list[Matrix]:
    """One matrix for each run, kind and size of pair results."""
    groups: dict[tuple[str, str, int], list[Result]] = {}
    for label, run in zip(run_labels(runs), runs, strict=True):
        for result in run.results:
            if result.pair is not None:
                key = (f"\n{label}" if len(runs) > 1 else "", result.collective, result.bytes)
                groups.setdefault(key, []).append(result)
    return [_matrix(label, results) for (label, *_), results in groups.items()]


def _write_cells(axes: Axes, matrix: Matrix, bright_above: float) -> None:
    for (row, column), value in np.ndenumerate(matrix.values):
        if np.isnan(value):
            continue
        text = significant(value)
        light = value < bright_above
        axes.text(
            column, row, text, ha="center", va="center", fontsize=8, color="w" if light else "k"
        )


def draw_matrix(axes: Axes, matrix: Matrix) -> None:
    """Colours from viridis, read by colour-blind people and in grey; numbers where they fit."""
    image = axes.imshow(matrix.values, cmap="viridis")
    low, high = np.nanmin(matrix.values), np.nanmax(matrix.values)
    if matrix.values.shape[0] <= MAX_WRITTEN:
        ranks = range(matrix.values.shape[0])
        axes.set_xticks(ranks)
        axes.set_yticks(ranks)
        _write_cells(axes, matrix, (low + high) / 2)
    axes.set_title(matrix.title, loc="left", fontsize=11)
    axes.set_xlabel("to rank" if matrix.ordered else "rank")
    axes.set_ylabel("from rank" if matrix.ordered else "rank")
    axes.figure.colorbar(image, ax=axes, label=matrix.unit, shrink=0.85)
