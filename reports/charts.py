"""Draws one panel of curves over the message size: bus bandwidth or time, log-log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from panels import Panel
from quantities import Band, Quantity
from scales import scale_sizes, scale_values

# Okabe and Ito 2008: told apart by colour-blind readers; yellow left out, too pale on white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
NEUTRAL = "#555555"
IN_PLACE = "in place"


@dataclass(frozen=True)
class Style:
    """How one curve looks: colour by name and dashes by placement."""

    color: str
    dashed: bool

    def line(self, **more: Any) -> dict[str, Any]:
        return {
            "color": self.color,
            "linestyle": (0, (4, 2)) if self.dashed else "-",
            "marker": "s" if self.dashed else "o",
            "markerfacecolor": "white" if self.dashed else self.color,
            **more,
        }


def _styles(panel: Panel) -> list[Style]:
    """Where there is one name only, colour tells the placement as well."""
    names = list(dict.fromkeys(panel.names))
    styles = []
    for curve, name in zip(panel.curves, panel.names, strict=True):
        dashed = curve.placement == IN_PLACE
        color = COLORS[names.index(name) % len(COLORS)] if len(names) > 1 else COLORS[dashed]
        styles.append(Style(color, dashed))
    return styles


def _draw_curve(axes: Axes, band: Band, style: Style) -> None:
    axes.fill_between(band.sizes, band.low, band.high, color=style.color, alpha=0.22, linewidth=0)
    if len(band.sizes) == 1 and band.high[0] > band.low[0]:  # a band needs two points
        errors = np.array([band.middle - band.low, band.high - band.middle])
        axes.errorbar(band.sizes, band.middle, yerr=errors, color=style.color, capsize=4)
    axes.plot(band.sizes, band.middle, **style.line(linewidth=1.8, markersize=4.5))


def _legend(axes: Axes, panel: Panel, styles: list[Style]) -> None:
    """One entry for each name by colour, then one for each placement by dashes."""
    several = len(set(panel.names)) > 1
    names: dict[str, Line2D] = {}
    placements: dict[str, Line2D] = {}
    for curve, name, style in zip(panel.curves, panel.names, styles, strict=True):
        color = NEUTRAL if several else style.color
        placements[curve.placement] = Line2D([], [], **Style(color, style.dashed).line())
        if several:
            names[name] = Line2D([], [], color=style.color, linewidth=4)
    entries = names | placements
    shown = [f" {entry}" if entry.startswith("_") else entry for entry in entries]  # else left out
    axes.legend(list(entries.values()), shown, frameon=False, fontsize=9)


def draw_panel(axes: Axes, panel: Panel, quantity: Quantity) -> None:
    """One panel with its axes, legend and title; says so where nothing can be drawn."""
    styles = _styles(panel)
    bands = [quantity.band(curve.points) for curve in panel.curves]
    axes.set_title(panel.title, loc="left", fontsize=11)
    drawn = [band for band in bands if band.sizes.size]
    if not drawn:
        axes.text(0.5, 0.5, "bus bandwidth is 0 with one rank", ha="center", color=NEUTRAL)
        axes.set_axis_off()
        return
    for band, style in zip(bands, styles, strict=True):
        _draw_curve(axes, band, style)
    scale_sizes(axes, np.concatenate([band.sizes for band in drawn]))
    scale_values(axes, np.concatenate([(b.low, b.high) for b in drawn], axis=1), quantity.label)
    axes.set_ylabel(quantity.axis)
    _legend(axes, panel, styles)
