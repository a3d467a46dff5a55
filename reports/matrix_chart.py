"""A matrix of pairs as a drawing: colours by how much slower than the best, numbers with room."""

from __future__ import annotations

from looks import FIRST_DARK_LEVEL, LEVELS
from matrices import Matrix
from scene import Scene, Tile, Words, cut
from units import figures, significant

WIDTH, LEFT, TOP = 440, 44, 64
MAX_WRITTEN = 12  # ranks; more, and numbers in cells are no longer read
MAX_LABELS = 16



def _add_scale(scene: Scene, matrix: Matrix, y: float) -> None:
    """The colours, and what the lightest and the darkest stand for."""
    best = matrix.text(matrix.cells[matrix.by_quality[0]])
    for level in range(len(LEVELS)):
        scene.add(Tile((LEFT + 12 * level, y), 12, 10, level))
    end = LEFT + 12 * len(LEVELS) + 8
    scene.add(Words(f"{best} to {significant(matrix.span)} times slower", (end, y + 9), "muted"))


def draw_matrix(matrix: Matrix) -> Scene:
    n = matrix.nranks
    cell = (WIDTH - LEFT - 12) / n
    side = f", {matrix.label}" if matrix.label else ""
    scene = Scene(WIDTH, TOP + cell * n + 34, matrix.title + side)
    unit = "GB/s" if matrix.bandwidth else "µs"
    scene.add(Words(cut(scene.title, "t2", WIDTH - 20), (10, 18), size="t2"),
              Words(cut(matrix.sentence, "t4", WIDTH - 20), (10, 34), "muted", "t4"),
              Words(unit, (LEFT - 8, TOP - 7), "muted", "t4", "end"))
    every = -(-n // MAX_LABELS)
    for rank in range(0, n, every):
        middle = (rank + 0.5) * cell
        scene.add(Words(str(rank), (LEFT + middle, TOP - 7), "muted", "t4", "middle"),
                  Words(str(rank), (LEFT - 8, TOP + middle + 4), "muted", "t4", "end"))
    for row in range(n):
        for column in range(n):
            value = matrix.value(row, column)
            if value is not None:
                _add_cell(scene, matrix, (LEFT + column * cell, TOP + row * cell), value)
    _add_scale(scene, matrix, TOP + cell * n + 12)
    return scene


def _add_cell(scene: Scene, matrix: Matrix, at: tuple[float, float], value: float) -> None:
    cell, level = (WIDTH - LEFT - 12) / matrix.nranks, matrix.level(value)
    gap = 1 if cell > 8 else 0
    scene.add(Tile(at, cell - gap, cell - gap, level))
    if matrix.nranks <= MAX_WRITTEN:
        look = "ground" if level >= FIRST_DARK_LEVEL else "text"
        scene.add(Words(figures(value), (at[0] + cell / 2, at[1] + cell / 2 + 4), look,
                        "t4", "middle"))
