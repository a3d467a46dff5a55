"""A panel of curves over the message size, with the range that healthy machines reach behind."""

from __future__ import annotations

from axes import size_axis
from bands import band_values, bands_of, cut_at, parts_below
from cases import Figure
from frame import TOP, Entry, Frame, new_frame
from looks import NCURVES
from panels import Curve, Panel
from quantities import Quantity, drawable
from scene import Area, Dot, Ring, Scene, Stroke, Words

IN_PLACE = "in place"
EXPECTED = "healthy machines"
RINGED = ("low", "above", "unsure")
MAX_ROOM = 2.5  # of a linear axis, as a multiple of what was measured; the band may end above
MAX_DOTS = 40  # points of a curve; more, and dots hide the line


def _looks(panel: Panel) -> list[str]:
    """By name; where there is one name only, by placement."""
    names = panel.distinct
    if len(names) > 1:
        return [f"s{names.index(name) % NCURVES}" for name in panel.names]
    return ["s1" if curve.placement == IN_PLACE else "s0" for curve in panel.curves]


def _legend(panel: Panel, looks: list[str]) -> list[Entry]:
    several = len(panel.distinct) > 1
    names: dict[str, Entry] = {}
    placements: dict[str, Entry] = {}
    for curve, name, look in zip(panel.curves, panel.names, looks, strict=True):
        dashed = curve.placement == IN_PLACE
        placements[curve.placement] = Entry(curve.placement, "muted" if several else look, dashed)
        if several:
            names[name] = Entry(name, look, dots=False)
    band = [Entry(EXPECTED, "band", band=True)] if bands_of(panel) else []
    return [*names.values(), *placements.values(), *band]


def _draw_band(frame: Frame, figures: list[Figure], quantity: Quantity) -> None:
    if len(figures) == 1:  # a band needs a width
        size, (low, high) = figures[0].case.bytes, band_values(quantity, figures[0])
        (x, bottom), (_, top) = frame.at(size, low), frame.at(size, high)
        top = max(top, TOP)
        corners = ((x - 8, bottom), (x + 8, bottom), (x + 8, top), (x - 8, top))
        frame.scene.add(Area(corners, "band", 0.3))
        return
    lows = [frame.at(f.case.bytes, band_values(quantity, f)[0]) for f in figures]
    highs = [frame.at(f.case.bytes, band_values(quantity, f)[1]) for f in figures]
    highs = cut_at(highs, TOP)
    frame.scene.add(Area((*lows, *reversed(highs)), "band", 0.25))
    frame.scene.add(*(Stroke(part, "band", 0.8)
                      for part in (tuple(lows), *parts_below(highs, TOP))))


def _draw_curve(frame: Frame, curve: Curve, look: str, quantity: Quantity) -> None:
    figures = [f for f in curve.figures if drawable(quantity.value(f))]
    dashed = curve.placement == IN_PLACE
    points = tuple(frame.at(f.case.bytes, quantity.value(f)) for f in figures)
    for figure in figures:  # the runs of a repeated case, from the slowest to the fastest
        if figure.repeats > 1:
            low, high = quantity.range_of(figure)
            frame.scene.add(Stroke((frame.at(figure.case.bytes, low),
                                    frame.at(figure.case.bytes, high)), look, 1.2))
    if len(points) > 1:
        frame.scene.add(Stroke(points, look, 1.8, dashed))
    frame.scene.add(*(Ring(at, figure.verdict) for at, figure
                      in zip(points, figures, strict=True) if figure.verdict in RINGED))
    if len(points) <= MAX_DOTS:
        frame.scene.add(*(Dot(at, look, 2.4, dashed, dashed) for at in points))


def _values(panel: Panel, quantity: Quantity, log: bool) -> list[float]:
    """That the axis has room for: what was measured, and of a wide band on a linear axis so much
    that the curves are not pressed to the ground."""
    values = [v for curve in panel.curves for f in curve.figures for v in quantity.range_of(f)]
    bands = [band_values(quantity, f) for figures in bands_of(panel) for f in figures]
    if bands and values and not log:
        lowest = max(low for low, _ in bands)
        most = max(MAX_ROOM * max(values), lowest / (1 - 1 / MAX_ROOM))
        bands = [(low, min(high, most)) for low, high in bands]
    return [value for value in [*values, *(v for band in bands for v in band)] if drawable(value)]


def sizes_of(panel: Panel) -> list[int]:
    return sorted({figure.case.bytes for curve in panel.curves for figure in curve.figures})


def draw_panel(panel: Panel, quantity: Quantity, log: bool) -> Scene:
    """One chart; it says so where nothing can be drawn."""
    values, sizes, looks = _values(panel, quantity, log), sizes_of(panel), _looks(panel)
    title = ": ".join(filter(None, (panel.title, quantity.name.lower())))
    if not values:
        axes = size_axis(sizes), quantity.axis([1.0], False)
        frame = new_frame(title, quantity.axis_name, axes, [])
        frame.scene.add(Words("the bus bandwidth of one rank is 0", (250, 140), "muted",
                              anchor="middle"))
        return frame.scene
    axes = size_axis(sizes), quantity.axis(values, log)
    frame = new_frame(title, quantity.axis_name, axes, _legend(panel, looks))
    for figures in bands_of(panel):
        _draw_band(frame, figures, quantity)
    for curve, look in zip(panel.curves, looks, strict=True):
        _draw_curve(frame, curve, look, quantity)
    frame.add_hits(sizes)
    return frame.scene
