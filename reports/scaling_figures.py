"""Pictures of a scaling study: efficiency, step times in parts, exposed communication by axis."""

from __future__ import annotations

import io
import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams |= {"text.parse_math": False, "svg.fonttype": "none", "font.size": 9,
                        "axes.spines.top": False, "axes.spines.right": False}

from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from looks import light  # noqa: E402
from scaling_pipeline import time_lines  # noqa: E402

PARTS = (("compute", "compute", "s0"), ("wait", "waits for the last rank", "s1"),
         ("transfer", "exposed transfer", "s3"), ("idle", "other waits", "s5"))
MS = 1e-3  # of a microsecond


def _bars(rows: list[dict]) -> list[dict]:
    return [row for row in rows if "step_us" in row]


def _labels(axes: Axes, rows: list[dict]) -> None:
    axes.set_yticks(range(len(rows)),
                    [f"{row['layout']}, {row['nranks']}{'*' if row['oversubscribed'] else ''}"
                     for row in rows])
    axes.invert_yaxis()
    axes.set_ylabel("layout, ranks")


def efficiency(axes: Axes, table: dict) -> None:
    """A line for each layout; hollow where there are more ranks than cores."""
    layouts = list(dict.fromkeys(row["layout"] for row in table["rows"]))
    ranks = sorted({row["nranks"] for row in table["rows"]})
    axes.axhline(100, color=light("muted"), linestyle="--", linewidth=1)
    axes.text(ranks[0], 101, "ideal", ha="left", va="bottom", color=light("muted"))
    for i, layout in enumerate(layouts):
        rows = [row for row in table["rows"] if row["layout"] == layout and "efficiency" in row]
        shares = [100 * row["efficiency"]["median"] for row in rows]
        lows = [share - 100 * row["efficiency"]["low"]
                for row, share in zip(rows, shares, strict=True)]
        highs = [100 * row["efficiency"]["high"] - share
                 for row, share in zip(rows, shares, strict=True)]
        color = light(f"s{i % 8}")
        axes.errorbar([row["nranks"] for row in rows], shares, yerr=(lows, highs), color=color,
                      capsize=3, label=layout, linewidth=1.4)
        for row, share in zip(rows, shares, strict=True):
            axes.plot(row["nranks"], share, "o", color=color, markersize=5,
                      markerfacecolor="white" if row["oversubscribed"] else color)
    axes.set_xscale("log", base=2)
    axes.set_xticks(ranks, [str(n) for n in ranks])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("ranks")
    axes.set_ylabel("efficiency, %")
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.45, -0.15), ncols=4)


def step_times(axes: Axes, table: dict) -> None:
    """A bar for each layout and number of ranks; a line where the run without communication is."""
    rows = _bars(table["rows"])
    left = [0.0] * len(rows)
    for key, words, look in PARTS:
        widths = [row["parts_us"][key] * MS for row in rows]
        axes.barh(range(len(rows)), widths, left=left, color=light(look), label=words, height=0.7)
        left = [a + b for a, b in zip(left, widths, strict=True)]
    label = "without communication"
    for i, row in enumerate(rows):
        if "control_us" not in row:
            continue
        at = row["control_us"]["median"] * MS
        axes.plot([at, at], [i - 0.42, i + 0.42], color=light("text"), linewidth=2, label=label)
        label = ""
    _labels(axes, rows)
    axes.set_xlabel("step, ms")
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.45, -0.13), ncols=2)


def exposed(axes: Axes, table: dict) -> None:
    """What each axis of the mesh lets compute wait, as a share of the step."""
    rows = [row for row in _bars(table["rows"]) if row["exposed_us"]]
    names = sorted({axis for row in rows for axis in row["exposed_us"]})
    left = [0.0] * len(rows)
    for i, axis in enumerate(names):
        widths = [100 * row["exposed_us"].get(axis, 0) / row["step_us"]["median"] for row in rows]
        axes.barh(range(len(rows)), widths, left=left, color=light(f"s{i % 8}"), label=axis,
                  height=0.7)
        left = [a + b for a, b in zip(left, widths, strict=True)]
    _labels(axes, rows)
    axes.set_xlabel("exposed communication, % of the step")
    if names:
        axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.45, -0.13), ncols=3)


def draw(kind: str, table: dict, png: Path) -> str:
    """Writes the PNG; yields the same picture as SVG for the page."""
    if kind == "pipeline":
        figure = time_lines(table)
    else:
        paint = {"efficiency": efficiency, "step": step_times, "exposed": exposed}[kind]
        tall = 3.8 if kind == "efficiency" else 1.6 + 0.3 * max(1, len(_bars(table["rows"])))
        figure = Figure(figsize=(6.4, tall), layout="constrained")
        paint(figure.add_subplot(), table)
    figure.savefig(png, dpi=160)
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return re.sub(r"^.*?<svg", "<svg", text.getvalue(), count=1, flags=re.DOTALL)
