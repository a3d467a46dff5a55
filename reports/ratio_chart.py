"""How fast other sides are against the first, over the message size: 100 % is as fast as it."""

from __future__ import annotations

from dataclasses import dataclass

from axes import linear_axis, size_axis
from cases import Trait
from changes import Change, Comparison
from curve_chart import IN_PLACE
from frame import Entry, Frame, new_frame
from looks import NCURVES
from scene import Area, Dot, Scene, Stroke
from units import significant

LEAST_SPAN = 0.1  # of the axis, to each side of 100 %
MOST = 4.0  # of the axis; what is beyond lies on its edge


@dataclass(frozen=True)
class RatioPanel:
    """The changes of one trait, by the index and label of the other side and by placement."""

    title: str
    base: str
    curves: dict[tuple[int, str, str], list[Change]]

    @property
    def sizes(self) -> list[int]:
        return sorted({c.case.bytes for changes in self.curves.values() for c in changes})


def ratio_panels_of(comparisons: list[Comparison]) -> list[RatioPanel]:
    """One for each trait, with all sides but the first."""
    found: dict[Trait, dict[tuple[int, str, str], list[Change]]] = {}
    for index, comparison in enumerate(comparisons, 1):
        for change in comparison.changes:
            if change.case.bytes > 0:
                key = (index, comparison.other.label, change.case.placement)
                found.setdefault(change.case.trait, {}).setdefault(key, []).append(change)
    return [RatioPanel(_title(trait), comparisons[0].base.label, curves)
            for trait, curves in found.items()]


def _title(trait: Trait) -> str:
    words = trait.words()
    shown = ("collective", "type", "redop", "root")
    group = f", {words['group']}" if trait.group else ""
    return ", ".join(words[key] for key in shown if words[key]) + group


def _label(value: float) -> str:
    return f"{significant(100 * value)} %"


def _clipped(value: float) -> float:
    return min(max(value, 1 / MOST), MOST)


def _draw_base(frame: Frame, panel: RatioPanel) -> None:
    """100 %, and how far the runs of the first side lie around it."""
    frame.scene.add(Stroke((frame.at(frame.x.low, 1), frame.at(frame.x.high, 1)), "text", 1.2))
    changes = sorted(next(iter(panel.curves.values())), key=lambda c: c.case.bytes)
    if len(changes) < 2 or all(c.base.repeats == 1 for c in changes):
        return
    ranges = [(c.case.bytes, *map(_clipped, c.range_of(c.base))) for c in changes]
    lows = [frame.at(size, low) for size, low, _ in ranges]
    highs = [frame.at(size, high) for size, _, high in ranges]
    frame.scene.add(Area((*lows, *reversed(highs)), "band", 0.25))


def _draw_curve(frame: Frame, changes: list[Change], look: str, dashed: bool) -> None:
    changes = sorted(changes, key=lambda c: c.case.bytes)
    points = [frame.at(c.case.bytes, _clipped(c.ratio)) for c in changes]
    if len(points) > 1:
        frame.scene.add(Stroke(tuple(points), look, 1.8, dashed))
    for change, at in zip(changes, points, strict=True):
        if change.other.repeats > 1:
            low, high = map(_clipped, change.range_of(change.other))
            frame.scene.add(Stroke((frame.at(change.case.bytes, low),
                                    frame.at(change.case.bytes, high)), look, 1.2))
        frame.scene.add(Dot(at, look, 2.4, dashed, dashed))


def draw_ratio(panel: RatioPanel) -> Scene:
    ratios = [_clipped(end) for changes in panel.curves.values() for c in changes
              for end in (c.ratio, *c.range_of(c.other), *c.range_of(c.base))]
    axis = linear_axis(min(1 - LEAST_SPAN, *ratios), max(1 + LEAST_SPAN, *ratios), _label)
    sides = {index: label for index, label, _ in panel.curves}
    placements = dict.fromkeys(placement for _, _, placement in panel.curves)
    legend = [Entry(label, f"s{index % NCURVES}", dots=False) for index, label in sides.items()]
    legend += [Entry(p, "muted", p == IN_PLACE) for p in placements]
    if any(c.base.repeats > 1 for changes in panel.curves.values() for c in changes):
        legend.append(Entry(f"runs of {panel.base}", "band", band=True))
    frame = new_frame(f"{panel.title}: speed against {panel.base}", "speed",
                      (size_axis(panel.sizes), axis), legend)
    _draw_base(frame, panel)
    for (index, _, placement), changes in panel.curves.items():
        _draw_curve(frame, changes, f"s{index % NCURVES}", placement == IN_PLACE)
    frame.add_hits(panel.sizes)
    return frame.scene
