"""Pictures of a scaling study: the last step of each pipeline, on a time line for each stage."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from looks import light

LOOKS = {"forward": ("forward", "s0"), "backward": ("backward", "s1"),
         "backward_input": ("backward, inputs", "s1"),
         "backward_weight": ("backward, weights", "s3")}
MS = 1e-3  # of a microsecond
LEAST_SHARE = 0.016  # of the step, from which on a computation has room for its micro-batch


def pipelines(table: dict) -> list[dict]:
    return [row for row in table["rows"] if "pipeline_step" in row]


def _time_line(axes: Axes, row: dict) -> None:
    step = row["pipeline_step"]
    spans = list(zip(step["stage"], step["action"], step["chunk"], step["micro_batch"],
                     step["start_us"], step["end_us"], strict=True))
    last_us = max(step["end_us"])
    for stage, action, chunk, micro_batch, start_us, end_us in spans:
        axes.barh(stage, (end_us - start_us) * MS, left=start_us * MS, height=0.8,
                  color=light(LOOKS[action][1]), alpha=1 if chunk % 2 == 0 else 0.6,
                  edgecolor="white", linewidth=0.4)
        if (end_us - start_us) >= LEAST_SHARE * last_us:
            axes.text((start_us + end_us) / 2 * MS, stage, str(micro_batch), ha="center",
                      va="center", color="white", fontsize=6)
    stages = max(step["stage"]) + 1
    axes.set_yticks(range(stages))
    axes.set_ylim(stages - 0.4, -0.6)
    axes.set_xlim(0, last_us * MS)
    axes.set_ylabel("stage")
    star = "*" if row["oversubscribed"] else ""
    axes.set_title(f"{row['layout']}, {row['nranks']}{star} ranks", fontsize=9, loc="left")


def time_lines(table: dict) -> Figure:
    """The number is the micro-batch; every other chunk of a stage is lighter."""
    rows = pipelines(table)
    heights = [0.8 + 0.22 * (max(row["pipeline_step"]["stage"]) + 1) for row in rows]
    figure = Figure(figsize=(6.4, 0.5 + sum(heights)), layout="constrained")
    all_axes = figure.subplots(len(rows), squeeze=False, height_ratios=heights)[:, 0]
    for axes, row in zip(all_axes, rows, strict=True):
        _time_line(axes, row)
    all_axes[-1].set_xlabel("ms")
    seen = {action for row in rows for action in row["pipeline_step"]["action"]}
    all_axes[-1].legend(
        handles=[Patch(color=light(look), label=words)
                 for action, (words, look) in LOOKS.items() if action in seen],
        frameon=False, loc="upper center", bbox_to_anchor=(0.45, -0.6), ncols=4)
    return figure
