"""Lays panels and matrices out in one figure each for bandwidth and latency; writes PNG and SVG."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["text.parse_math"] = False  # a "$" in a file's name is a "$"

from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from charts import draw_panel  # noqa: E402
from matrices import draw_matrix, matrices_of  # noqa: E402
from panels import panels_of  # noqa: E402
from quantities import BUSBW, LATENCY, Quantity  # noqa: E402
from records import Run  # noqa: E402
from series import curves_of, setup_of  # noqa: E402

MAX_PANELS = 12
PANEL_INCHES = (8.0, 4.8)
SMALL_INCHES = (6.0, 4.2)
DOTS_PER_INCH = 160

warnings.filterwarnings("ignore", message="Glyph .* missing from")  # it is drawn as a box

Draw = Callable[[Axes], None]


@dataclass(frozen=True)
class Chart:
    """A finished figure; `left_out` panels did not fit."""

    name: str
    title: str
    svg: str
    left_out: int


def _draws(runs: list[Run], quantity: Quantity) -> list[Draw]:
    panels = panels_of(curves_of(runs))
    draws: list[Draw] = [lambda axes, p=panel: draw_panel(axes, p, quantity) for panel in panels]
    for matrix in matrices_of(runs):
        if matrix.bandwidth == quantity.bandwidth:
            draws.append(lambda axes, m=matrix: draw_matrix(axes, m))
    return draws


def _layout(title: str, draws: list[Draw]) -> Figure:
    columns = 1 if len(draws) == 1 else 2
    rows = -(-len(draws) // columns)
    width, height = PANEL_INCHES if len(draws) == 1 else SMALL_INCHES
    figure = Figure(figsize=(width * columns, height * rows + 0.4), layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", fontsize=13, fontweight="bold")
    for index, draw in enumerate(draws, 1):
        draw(figure.add_subplot(rows, columns, index))
    return figure


def write_chart(runs: list[Run], quantity: Quantity, folder: Path, name: str) -> Chart | None:
    """Writes folder/name.png and .svg; None where these runs hold nothing to draw."""
    draws = _draws(runs, quantity)
    if not draws:
        return None
    title = quantity.name if len(runs) > 1 else f"{quantity.name}, {setup_of(runs[0])}"
    figure = _layout(title, draws[:MAX_PANELS])
    figure.savefig(folder / f"{name}.png", dpi=DOTS_PER_INCH)
    text = io.StringIO()
    # Without a date and with fixed identifiers the same runs give the same bytes.
    with matplotlib.rc_context({"svg.hashsalt": "linerate", "svg.fonttype": "path"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    (folder / f"{name}.svg").write_text(text.getvalue(), encoding="utf-8")
    return Chart(name, quantity.name, text.getvalue(), max(0, len(draws) - MAX_PANELS))


def write_charts(runs: list[Run], folder: Path) -> list[Chart]:
    """busbw and latency, in this order."""
    charts = (
        write_chart(runs, quantity, folder, name)
        for quantity, name in ((BUSBW, "busbw"), (LATENCY, "latency"))
    )
    return [chart for chart in charts if chart is not None]
