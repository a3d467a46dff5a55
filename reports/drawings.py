"""All charts of some runs, and the pictures that files hold."""

from __future__ import annotations

from dataclasses import dataclass

from changes import Comparison
from curve_chart import draw_panel
from matrices import Matrix
from matrix_chart import draw_matrix
from panels import MAX_PANELS, Panel, curves_of, panels_of
from quantities import QUANTITIES
from ratio_chart import RatioPanel, draw_ratio, ratio_panels_of
from scene import Scene
from sides import Side

MAX_MATRICES = 12
MAX_DRAWN_RANKS = 128


def grid_of(scenes: list[Scene], title: str) -> Scene:
    """All of them in one, two side by side where there are several."""
    columns = min(2, len(scenes))
    width = max(scene.width for scene in scenes)
    rows = [scenes[i:i + columns] for i in range(0, len(scenes), columns)]
    whole = Scene(width * columns, 0, title)
    for row in rows:
        for column, scene in enumerate(row):
            whole.put(scene, column * width, whole.height)
        whole.height += max(scene.height for scene in row)
    return whole


@dataclass(frozen=True)
class Drawings:
    panels: list[Panel]
    left_out: int
    ratios: list[RatioPanel]
    matrices: list[Matrix]

    def scenes(self) -> dict[str, Scene]:
        """One picture for each file, by its name. Bandwidth is drawn linear, time logarithmic."""
        pictures = {
            q.key: [draw_panel(panel, q, log=not q.bandwidth) for panel in self.panels]
            for q in QUANTITIES
        }
        pictures["ratio"] = [draw_ratio(panel) for panel in self.ratios]
        drawn = [m for m in self.matrices if m.nranks <= MAX_DRAWN_RANKS]
        pictures["pairs"] = [draw_matrix(matrix) for matrix in drawn[:MAX_MATRICES]]
        return {name: grid_of(some, name) for name, some in pictures.items() if some}


def drawings_of(sides: list[Side], comparisons: list[Comparison],
                matrices: list[Matrix]) -> Drawings:
    panels = panels_of(curves_of(sides))
    ratios = ratio_panels_of(comparisons) if comparisons else []
    return Drawings(panels[:MAX_PANELS], max(0, len(panels) - MAX_PANELS), ratios[:MAX_PANELS],
                    matrices)
