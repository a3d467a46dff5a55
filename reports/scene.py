"""A drawing as shapes in pixels, y downwards: painted as SVG for pages and files, or as a PNG."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from svg import Line

XY = tuple[float, float]


@dataclass(frozen=True)
class Stroke:
    points: tuple[XY, ...]
    look: str
    width: float = 1.0
    dashed: bool = False


@dataclass(frozen=True)
class Area:
    """A filled outline."""

    points: tuple[XY, ...]
    look: str
    opacity: float = 1.0


@dataclass(frozen=True)
class Dot:
    at: XY
    look: str
    radius: float = 2.6
    hollow: bool = False
    square: bool = False


@dataclass(frozen=True)
class Ring:
    """Round something that is to be seen, which it leaves visible."""

    at: XY
    look: str
    radius: float = 5.5


@dataclass(frozen=True)
class Words:
    """Text with its base line at `at`. `size` is a class of FONTS."""

    text: str
    at: XY
    look: str = "text"
    size: str = "t3"
    anchor: str = "start"


@dataclass(frozen=True)
class Tile:
    """A cell of a matrix, in one of LEVELS."""

    at: XY
    width: float
    height: float
    level: int


@dataclass(frozen=True)
class Hit:
    """Where a page shows a text when it is pointed at: the index of that text."""

    left: float
    right: float
    top: float
    bottom: float
    tip: int


Shape = Stroke | Area | Dot | Ring | Words | Tile | Hit


@dataclass
class Scene:
    """Shapes in the order in which they are drawn."""

    width: float
    height: float
    title: str
    shapes: list[Shape] = field(default_factory=list)

    def add(self, *shapes: Shape) -> None:
        self.shapes += shapes

    def put(self, other: Scene, x: float, y: float) -> None:
        """All of another scene, moved; without what only a page has."""
        def moved(at: XY) -> XY:
            return at[0] + x, at[1] + y
        for shape in other.shapes:
            if isinstance(shape, (Stroke, Area)):
                self.add(replace(shape, points=tuple(map(moved, shape.points))))
            elif not isinstance(shape, Hit):
                self.add(replace(shape, at=moved(shape.at)))


def width_of(text: str, size: str = "t3") -> float:
    return Line(text, size).width


def cut(text: str, size: str, width: float) -> str:
    return Line(text, size).cut_to(width).text
