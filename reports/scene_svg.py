"""Paints a scene as SVG: for a page, whose style sheet it shares, or as a file of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html import escape
from itertools import groupby

from looks import chart_style, light
from scene import XY, Area, Dot, Hit, Ring, Scene, Shape, Stroke, Tile, Words
from svg import plain
from svg_style import FONTS

EDGE = 1.5  # of dots: as wide as the line of their outline in a PNG


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _line(points: tuple[XY, ...]) -> str:
    return "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in points)


def _dots(dots: list[Dot]) -> str:
    """Dots of one look as the ends of lines without length: that is short."""
    one = dots[0]
    path = "".join(f"M{_number(dot.at[0])} {_number(dot.at[1])}h0" for dot in dots)
    cap = "square" if one.square else "round"
    rings = [(one.look, 2 * one.radius + EDGE)]
    if one.hollow:
        rings.append(("ground", 2 * one.radius - EDGE))
    return "".join(f'<path class="line {look}" stroke-linecap="{cap}" '
                   f'stroke-width="{_number(width)}" d="{path}"/>' for look, width in rings)


def _words(words: Words) -> str:
    size, bold = FONTS[words.size]
    weight = ' font-weight="bold"' if bold > 1 else ""
    x, y = words.at
    return (f'<text class="{words.look}" x="{_number(x)}" y="{_number(y)}" font-size="{size}" '
            f'text-anchor="{words.anchor}"{weight}>{escape(plain(words.text))}</text>')


def _strokes(strokes: list[Stroke]) -> str:
    """Of one look."""
    one, path = strokes[0], "".join(_line(stroke.points) for stroke in strokes)
    dashes = ' stroke-dasharray="5 3"' if one.dashed else ""
    return (f'<path class="line {one.look}" stroke-width="{_number(one.width)}"{dashes} '
            f'd="{path}"/>')


def _shape(shape: Shape) -> str:
    if isinstance(shape, Area):
        return (f'<path class="area {shape.look}" fill-opacity="{shape.opacity:g}" '
                f'd="{_line(shape.points)}Z"/>')
    if isinstance(shape, Ring):
        x, y = map(_number, shape.at)
        return (f'<circle class="line {shape.look}" stroke-width="1.3" cx="{x}" cy="{y}" '
                f'r="{_number(shape.radius)}"/>')
    if isinstance(shape, Words):
        return _words(shape)
    if isinstance(shape, Tile):
        (x, y) = shape.at
        return (f'<rect class="h{shape.level}" x="{_number(x)}" y="{_number(y)}" '
                f'width="{_number(shape.width)}" height="{_number(shape.height)}"/>')
    assert isinstance(shape, Hit)
    return (f'<rect class="hit" data-tip="{shape.tip}" x="{_number(shape.left)}" '
            f'y="{_number(shape.top)}" width="{_number(shape.right - shape.left)}" '
            f'height="{_number(shape.bottom - shape.top)}"/>')


def _body(shapes: list[Shape]) -> Iterator[str]:
    """Dots of one look that follow each other are one element; so are strokes."""
    def kind(shape: Shape) -> object:
        if isinstance(shape, Stroke):
            return replace(shape, points=())
        return replace(shape, at=(0, 0)) if isinstance(shape, Dot) else id(shape)
    for _, group in groupby(shapes, kind):
        some = list(group)
        if dots := [shape for shape in some if isinstance(shape, Dot)]:
            yield _dots(dots)
        elif strokes := [shape for shape in some if isinstance(shape, Stroke)]:
            yield _strokes(strokes)
        else:
            yield _shape(some[0])


def _head(scene: Scene) -> str:
    width, height = _number(scene.width), _number(scene.height)
    return (f'viewBox="0 0 {width} {height}" role="img" '
            f'aria-label="{escape(plain(scene.title))}"')


def svg_of(scene: Scene, tips: list[int]) -> str:
    """An element for a page, which knows texts by the numbers in `tips`."""
    shapes = [replace(s, tip=tips[s.tip]) if isinstance(s, Hit) else s for s in scene.shapes]
    return f"<svg {_head(scene)}>" + "".join(_body(shapes)) + "</svg>"


def svg_document(scene: Scene, levels: str) -> str:
    """A file. `levels`: the style of tiles."""
    size = f'width="{_number(scene.width)}" height="{_number(scene.height)}"'
    shapes = "\n".join(_body([s for s in scene.shapes if not isinstance(s, Hit)]))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" {size} {_head(scene)}>\n'
            f"<style>\n{chart_style(embedded=False)}{levels}</style>\n"
            f'<rect {size} fill="{light("ground")}"/>\n{shapes}\n</svg>\n')
