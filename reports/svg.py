"""Boxes, lines and texts of an SVG picture, and how wide a text is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape

from svg_style import FONTS, style_sheet

LINE_HEIGHT, BASE_LINE = 1.3, 0.76  # of a font's size; of a line's height


@dataclass
class Box:
    """Pixels; y grows downwards."""

    x: float = 0
    y: float = 0
    w: float = 0
    h: float = 0

    center = property(lambda self: self.x + self.w / 2)
    right = property(lambda self: self.x + self.w)
    bottom = property(lambda self: self.y + self.h)

    def overlaps(self, other: Box) -> bool:
        return (self.x < other.right and other.x < self.right and
                self.y < other.bottom and other.y < self.bottom)


@dataclass(frozen=True)
class Line:
    """One line of text in a class of the style sheet."""

    text: str
    style: str = "t3"

    @property
    def width(self) -> float:
        """Estimated from Helvetica's letters, on the wide side: viewers have other fonts."""
        size, bold = FONTS[self.style]
        return sum(map(_letter_width, self.text)) * size * bold * 1.06

    @property
    def height(self) -> float:
        return FONTS[self.style][0] * LINE_HEIGHT

    def cut_to(self, width: float) -> Line:
        line, columns = self, len(self.text)
        while columns > 1 and line.width > width:
            columns -= 1
            line = Line(self.text[:columns - 1] + "…", self.style)
        return line


def _letter_width(letter: str) -> float:
    if letter in " .,:;|!'()[]/-fijltI":
        return 0.32
    if letter in "mwMW@%" or ord(letter) > 0x2fff:
        return 0.88
    return 0.7 if "A" <= letter <= "Z" else 0.6 if letter > "~" else 0.56


def plain(text: str) -> str:
    """Without what a terminal or XML would not print."""
    return "".join(c if c.isprintable() else "?" for c in text)


@dataclass
class Canvas:
    """Shapes in the order in which they are drawn; looks are classes of the style sheet."""

    body: list[str] = field(default_factory=list)

    @contextmanager
    def tip(self, lines: list[str]) -> Iterator[None]:
        """What is drawn within shares a text that viewers show when it is pointed at."""
        self.body.append(f"<g><title>{escape(plain_lines(lines))}</title>")
        yield
        self.body.append("</g>")

    def rect(self, box: Box, look: str, radius: int = 6) -> None:
        self.body.append(f'<rect class="{look}" x="{box.x:.1f}" y="{box.y:.1f}" '
                         f'width="{box.w:.1f}" height="{box.h:.1f}" rx="{radius}"/>')

    def path(self, path: str, look: str, thickness: float) -> None:
        self.body.append(f'<path class="{look}" d="{path}" stroke-width="{thickness:.1f}"/>')

    def text(self, line: Line, x: float, y: float, anchor: str = "start", look: str = "") -> None:
        self.body.append(f'<text class="{line.style} {look}" x="{x:.1f}" y="{y:.1f}" '
                         f'text-anchor="{anchor}">{escape(plain(line.text))}</text>')

    def texts(self, lines: list[Line], box: Box, look: str = "") -> None:
        """Lines below each other in the middle of a box."""
        y = box.y + (box.h - sum(line.height for line in lines)) / 2
        for line in lines:
            self.text(line, box.center, y + line.height * BASE_LINE, "middle", look)
            y += line.height

    def document(self, width: float, height: float, title: str) -> str:
        size = f'width="{width:.0f}" height="{height:.0f}"'
        return (f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
                f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">\n'
                f"<title>{escape(plain(title))}</title>\n<style>\n{style_sheet()}</style>\n"
                f'<rect class="ground" {size}/>\n' + "\n".join(self.body) + "\n</svg>\n")


def plain_lines(lines: list[str]) -> str:
    return "\n".join(map(plain, lines))
