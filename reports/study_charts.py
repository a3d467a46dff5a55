"""Pictures of a study: what settings change, scaling, and histories."""

from __future__ import annotations

import math

from axes import Axis, linear_axis, log_axis
from frame import Frame, new_frame
from scene import Dot, Ring, Scene, Stroke, Words, cut, width_of
from study_effects import Effect
from study_trends import History, Scaling
from units import format_time, significant

MAX_EFFECTS = 24
VALUE = 70  # pixels of one
WIDTH, LEFT, TOP, ROW = 440, 170, 48, 22
MANY_DECADES = 2  # of labels one beside the other


def _count_axis(counts: list[int]) -> Axis:
    return Axis(min(counts) / 1.15, max(counts) * 1.15, True,
                tuple((float(count), str(count)) for count in counts))


def draw_effects(effects: list[Effect]) -> Scene:
    """A row for each: the middle 80 % of the ratios, and their median; the mark is 1. The page has
    its title."""
    shown = effects[:MAX_EFFECTS]
    ends = [q for e in shown for q in (e.quantile(0.1), e.quantile(0.9), e.ratio)]
    axis = log_axis(min([1.0, *ends]), max([1.0, *ends]), lambda v: f"{significant(v)}x",
                    MANY_DECADES)
    scene = Scene(WIDTH, TOP + ROW * len(shown) + 14, "What each setting changes")

    def at(ratio: float) -> float:
        return LEFT + (WIDTH - LEFT - 20) * axis.part(ratio)
    bottom = TOP + ROW * len(shown)
    scene.add(Words("time over that with the other value", (10, 16), "muted", "t4"))
    for value, label in axis.ticks:
        scene.add(Stroke(((at(value), TOP - 6), (at(value), bottom)), "grid"),
                  Words(label, (at(value), TOP - 11), "muted", "t4", "middle"))
    scene.add(Stroke(((at(1), TOP - 6), (at(1), bottom)), "edge", 2))
    for row, effect in enumerate(shown):
        y = TOP + ROW * (row + 0.5)
        look = "s1" if effect.ratio > 1 else "s0"
        value = f"={cut(effect.value, 't3', VALUE)}"
        name = cut(effect.setting, "t3", LEFT - 14 - width_of(value))
        scene.add(Words(name + value, (LEFT - 10, y + 4), anchor="end"),
                  Stroke(((at(effect.quantile(0.1)), y), (at(effect.quantile(0.9)), y)), look, 3),
                  Dot((at(effect.ratio), y), look, 4))
    return scene


def _lines(frame: Frame, lines: dict[str, dict[int, float]]) -> None:
    for number, line in enumerate(lines.values()):
        points = tuple(frame.at(count, value) for count, value in sorted(line.items()))
        frame.scene.add(Stroke(points, f"s{number}", 1.8),
                        *(Dot(at, f"s{number}", 2.6) for at in points))


def draw_scaling(scaling: Scaling) -> Scene:
    """Its lines have the colours s0, s1, … in order."""
    counts = sorted({count for line in scaling.lines.values() for count in line})
    most = max(value for line in scaling.lines.values() for value in line.values())
    axes = _count_axis(counts), linear_axis(0, most, significant)
    frame = new_frame(f"{scaling.title}, by {scaling.unit}", "GB/s", axes, [])
    _lines(frame, scaling.lines)
    return frame.scene


def draw_history(history: History) -> Scene:
    """A dot for each run in order; the last is ringed where it is outside of all before it."""
    times = [point.time_us for point in history.points]
    low, high = min(times), max(times)
    room = max((high - low) * 0.1, high * 0.02)
    every = max(1, math.ceil(len(times) / 6))
    ticks = tuple((float(i + 1), str(i + 1)) for i in range(0, len(times), every))
    axes = (Axis(0.5, len(times) + 0.5, False, ticks),
            linear_axis(max(0.0, low - room), high + room, format_time))
    frame = new_frame(history.what.words, "time", axes, [])
    points = tuple(frame.at(i + 1, time) for i, time in enumerate(times))
    frame.scene.add(Stroke(points, "s0", 1.4), *(Dot(at, "s0", 2.6) for at in points))
    if history.outside:
        frame.scene.add(Ring(points[-1], "low" if history.outside == "slower" else "ok"))
    return frame.scene
