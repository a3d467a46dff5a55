"""Paints a scene as a PNG, by matplotlib: an axis for each direction, whose unit is a pixel."""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["text.parse_math"] = False  # a "$" in a file's name is a "$"

from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.patches import Polygon, Rectangle  # noqa: E402

from looks import LEVELS, light  # noqa: E402
from scene import Area, Dot, Ring, Scene, Shape, Stroke, Tile, Words  # noqa: E402
from svg import plain  # noqa: E402
from svg_style import FONTS  # noqa: E402

DOTS_PER_PIXEL = 2
PIXELS_PER_INCH = 72  # so that a font's size in points is its size in pixels
MAX_PIXELS = 30_000  # in each direction

warnings.filterwarnings("ignore", message="Glyph .* missing from")  # it is drawn as a box


def _words(axes: Axes, words: Words) -> None:
    size, bold = FONTS[words.size]
    align = {"start": "left", "middle": "center", "end": "right"}[words.anchor]
    axes.text(*words.at, plain(words.text), color=light(words.look), fontsize=size, ha=align,
              va="baseline", fontweight="bold" if bold > 1 else "normal")


def _dot(axes: Axes, dot: Dot) -> None:
    color = light(dot.look)
    axes.plot(*dot.at, marker="s" if dot.square else "o", markersize=2 * dot.radius,
              markerfacecolor=light("ground") if dot.hollow else color, markeredgecolor=color)


def _draw(axes: Axes, shape: Shape) -> None:
    if isinstance(shape, Stroke):
        xs, ys = zip(*shape.points, strict=True)
        axes.plot(xs, ys, color=light(shape.look), linewidth=shape.width,
                  linestyle=(0, (5, 3)) if shape.dashed else "-", solid_joinstyle="round")
    elif isinstance(shape, Area):
        axes.add_patch(Polygon(shape.points, facecolor=light(shape.look), alpha=shape.opacity,
                               linewidth=0))
    elif isinstance(shape, Dot):
        _dot(axes, shape)
    elif isinstance(shape, Ring):
        axes.plot(*shape.at, marker="o", markersize=2 * shape.radius, markeredgewidth=1.3,
                  markerfacecolor="none", markeredgecolor=light(shape.look))
    elif isinstance(shape, Words):
        _words(axes, shape)
    elif isinstance(shape, Tile):
        axes.add_patch(Rectangle(shape.at, shape.width, shape.height, linewidth=0,
                                 facecolor=LEVELS[shape.level]))


def write_png(scene: Scene, path: Path) -> None:
    scale = min(DOTS_PER_PIXEL, MAX_PIXELS / scene.width, MAX_PIXELS / scene.height)
    figure = Figure(figsize=(scene.width / PIXELS_PER_INCH, scene.height / PIXELS_PER_INCH))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, scene.width)
    axes.set_ylim(scene.height, 0)
    axes.axis("off")
    for shape in scene.shapes:
        _draw(axes, shape)
    figure.savefig(path, dpi=PIXELS_PER_INCH * scale)
