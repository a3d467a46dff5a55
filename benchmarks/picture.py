"""One picture: how many times faster than the best peer, over the message size."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
sys.path.append(str(Path(__file__).resolve().parents[1] / "reports"))

import numpy as np  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter  # noqa: E402

from cells import Case  # noqa: E402
from results import OURS, Results  # noqa: E402
from targets import BANDS, COLD, CROWDED, CROWDED_ALL_REDUCE, WARM, headline_placement  # noqa: E402
from units import format_bytes, significant  # noqa: E402

# Okabe and Ito 2008, as in the reports.
COLORS = dict(zip(OURS, ("#0072B2", "#D55E00", "#009E73"), strict=True))
TARGET = "#555555"
GRID = "#E3E3E3"
DOTS_PER_INCH = 110
PANEL_INCHES = (3.6, 2.9)
SETTINGS = (("2 ranks, warm", 2, False), ("2 ranks, cold", 2, True), ("4 ranks, warm", 4, False))


def _curve(results: Results, cases: list[Case], ours: str) -> np.ndarray:
    """Rows of size, ratio, low, high."""
    rows = []
    for case in cases:
        ratio = results.ratio(case, ours)
        if ratio is not None:
            rows.append((case.bytes, ratio.value, ratio.low or ratio.value,
                         ratio.high or ratio.value))
    return np.array(rows, dtype=float).reshape(-1, 4).T


def _scale_sizes(axes: Axes, sizes: list[int]) -> None:
    """The x axis: message sizes in bytes, every third power of two with its name."""
    powers = [2.0**power for power in range(min(sizes).bit_length() - 1, max(sizes).bit_length())]
    axes.set_xscale("log", base=2)
    axes.set_xlim(min(sizes) / 2, max(sizes) * 2)
    axes.xaxis.set_major_locator(FixedLocator(powers[::3]))
    axes.xaxis.set_minor_locator(FixedLocator(powers))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_bytes(value)))
    axes.set_xlabel("message size")
    axes.grid(axis="both", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_targets(axes: Axes, collective: str, nranks: int, cold: bool, last: int) -> None:
    crowded = [CROWDED_ALL_REDUCE if collective == "all_reduce" else CROWDED]
    warm = crowded if nranks > 2 else zip(BANDS, WARM[collective], strict=False)
    for band, target in COLD if cold else warm:
        low, high = max(band.low, 8), min(band.high, last)
        if low <= high:
            axes.plot((low, max(high, low * 1.3)), (target, target), color=TARGET, linewidth=2.2,
                      alpha=0.65)


def _draw_panel(axes: Axes, results: Results, collective: str, setting: tuple) -> None:
    _, nranks, cold = setting
    cases = results.cases(collective=collective, nranks=nranks, cold=cold,
                          placement=headline_placement(collective))
    curves = {key: _curve(results, cases, key) for key in OURS}
    if not any(curve.size for curve in curves.values()):
        axes.set_axis_off()
        return
    axes.axhline(1, color=TARGET, linewidth=0.8, linestyle=":")
    _draw_targets(axes, collective, nranks, cold, cases[-1].bytes)
    for key, (count, value, low, high) in curves.items():
        axes.fill_between(count, low, high, color=COLORS[key], alpha=0.2, linewidth=0)
        axes.plot(count, value, color=COLORS[key], marker="o", markersize=3, linewidth=1.4)
    _scale_sizes(axes, [case.bytes for case in cases])
    axes.tick_params(axis="x", labelsize=7, rotation=45)
    axes.set_xlabel("")
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(FixedLocator([m * 10.0**p for p in (-2, -1, 0, 1, 2, 3)
                                               for m in (1, 2, 5)]))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: significant(value)))


def _share_scale(line: np.ndarray) -> None:
    """From the least to the largest ratio and target of a row: wide intervals may leave it."""
    drawn = [curve.get_ydata() for axes in line for curve in axes.get_lines()]
    values = np.concatenate([np.asarray(ratios, dtype=float) for ratios in drawn] or [np.ones(1)])
    line[0].set_ylim(values.min() / 1.4, values.max() * 1.4)


def write_picture(results: Results, path: Path) -> None:
    """A row for each setting, a column for each headline; the scale of a row is shared."""
    settings = [s for s in SETTINGS if results.cases(nranks=s[1], cold=s[2])]
    columns, rows = len(WARM), max(1, len(settings))
    figure = Figure(figsize=(PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows + 0.8),
                    layout="constrained")
    grid = figure.subplots(rows, columns, sharey="row", squeeze=False)
    for line, setting in zip(grid, settings, strict=False):
        for axes, collective in zip(line, WARM, strict=True):
            _draw_panel(axes, results, collective, setting)
            axes.set_title(f"{collective}, {setting[0]}", fontsize=10, loc="left")
        _share_scale(line)
        line[0].set_ylabel("best peer / linerate")
    figure.suptitle("Best peer's median time over ours; grey: the target", x=0.01, ha="left",
                    fontsize=13, fontweight="bold")
    entries = [Line2D([], [], color=COLORS[key], marker="o", markersize=4) for key in OURS]
    figure.legend(entries, list(OURS), loc="upper right", ncols=3, frameon=False)
    figure.savefig(path, dpi=DOTS_PER_INCH)
