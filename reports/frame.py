"""What charts over the message size share: title, axes, grid, legend, places to point at."""

from __future__ import annotations

from dataclasses import dataclass

from axes import Axis
from scene import XY, Area, Dot, Hit, Scene, Stroke, Words, cut, width_of

WIDTH, PLOT_HEIGHT = 440, 205
LEFT, RIGHT, TOP, AXIS_ROOM = 54, 12, 40, 34
LEGEND_ROW, SAMPLE = 17, 26
MAX_NAME = 200  # pixels of a name in the legend


@dataclass(frozen=True)
class Entry:
    """One of a legend: a line, dashed with hollow dots where it is in place, or a band."""

    name: str
    look: str
    dashed: bool = False
    band: bool = False
    dots: bool = True


@dataclass(frozen=True)
class Frame:
    """A plot's axes on its scene."""

    scene: Scene
    x: Axis
    y: Axis

    def at(self, size: float, value: float) -> XY:
        return (LEFT + (WIDTH - LEFT - RIGHT) * self.x.part(size),
                TOP + PLOT_HEIGHT * (1 - self.y.part(value)))

    def add_hits(self, sizes: list[int]) -> None:
        """One for each size, each as wide as half the way to its neighbours."""
        middles = [self.at(size, self.y.high)[0] for size in sizes]
        edges = [LEFT, *((a + b) / 2 for a, b in zip(middles, middles[1:], strict=False)),
                 WIDTH - RIGHT]
        for index in range(len(sizes)):
            self.scene.add(Hit(edges[index], edges[index + 1], TOP, TOP + PLOT_HEIGHT, index))


def sample(entry: Entry, x: float, y: float) -> list[Stroke | Area | Dot]:
    if entry.band:
        corners = ((x, y - 4), (x + SAMPLE, y - 4), (x + SAMPLE, y + 4), (x, y + 4))
        return [Area(corners, entry.look, 0.3)]
    line = Stroke(((x, y), (x + SAMPLE, y)), entry.look, 1.8, entry.dashed)
    dot = Dot((x + SAMPLE / 2, y), entry.look, hollow=entry.dashed, square=entry.dashed)
    return [line, dot] if entry.dots else [line]


def _add_legend(scene: Scene, entries: list[Entry]) -> None:
    """Below the plot, in as many rows as it needs."""
    x, y = float(LEFT), TOP + PLOT_HEIGHT + AXIS_ROOM + LEGEND_ROW - 5
    for entry in entries:
        name = cut(entry.name, "t3", MAX_NAME)
        width = SAMPLE + 6 + width_of(name) + 16
        if x + width > WIDTH + 16 and x > LEFT:
            x, y = float(LEFT), y + LEGEND_ROW
        scene.add(*sample(entry, x, y - 4), Words(name, (x + SAMPLE + 6, y)))
        x += width
    scene.height = y + 12


def new_frame(title: str, axis_name: str, axes: tuple[Axis, Axis], legend: list[Entry]) -> Frame:
    """The scene holds all but the curves; its height is what the legend needs."""
    scene = Scene(WIDTH, TOP + PLOT_HEIGHT + AXIS_ROOM + 6, title)
    frame = Frame(scene, *axes)
    scene.add(Words(cut(title, "t2", WIDTH - 20), (10, 18), size="t2"),
              Words(axis_name, (LEFT - 8, TOP - 8), "muted", "t4", "end"))
    bottom = TOP + PLOT_HEIGHT
    rows = [(frame.at(frame.x.low, value)[1], label) for value, label in frame.y.ticks]
    columns = [(frame.at(size, frame.y.low)[0], label) for size, label in frame.x.ticks]
    scene.add(*(Stroke(((LEFT, y), (WIDTH - RIGHT, y)), "grid") for y, _ in rows),
              *(Stroke(((x, TOP), (x, bottom)), "grid") for x, _ in columns),
              Stroke(((LEFT, bottom), (WIDTH - RIGHT, bottom)), "edge"),
              *(Words(label, (LEFT - 8, y + 4), "muted", anchor="end") for y, label in rows),
              *(Words(label, (x, bottom + 17), "muted", anchor="middle")
                for x, label in columns if label))
    if legend:
        _add_legend(scene, legend)
    return frame
