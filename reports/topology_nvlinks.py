"""NVLinks below a host's GPUs: to each other as arcs, to NVSwitches as lines to a bar."""

from __future__ import annotations

from dataclasses import dataclass

from svg import Box, Line
from topology_gpus import gpu_of, link_word, nvlink_count
from topology_links import Sketch, Wire, thickness_of
from topology_part import Part
from topology_text import Json, counted, gbps_text, local_name

BAR_HEIGHT, BAR_GAP, BAR_MARGIN = 30, 44, 16  # of the NVSwitches
MIN_ARC, ARC_STEP = 44, 26  # depth of an arc, and for each GPU that it passes
ARC_SPREAD = 0.6  # of a GPU's width that its arcs begin in


@dataclass
class Arc:
    """The NVLinks of one pair of GPUs, which stand in a row from left to right."""

    left: int
    right: int
    gbps: float

    @property
    def depth(self) -> float:
        return MIN_ARC + ARC_STEP * (self.right - self.left - 1)


class NvLinkSketch:
    def __init__(self, sketch: Sketch, gpus: list[Part], links: dict[str, list[Json]]) -> None:
        self.sketch, self.gpus, self.links = sketch, gpus, links
        place = {gpu.node: at for at, gpu in enumerate(gpus)}
        self.arcs = [Arc(at, place[link["to"]], link["gbps"]) for at, gpu in enumerate(gpus)
                     for link in self._nvlinks(gpu) if place.get(link["to"], -1) > at]

    def draw(self, above: Box, switch_words: str) -> float:
        """Yields where the drawing ends; `above` is what all parts take."""
        low = above.bottom
        for arc in self.arcs:
            self._draw_arc(arc)
            low = max(low, self._top(arc) + arc.depth * 0.75 + thickness_of(arc.gbps) + 12)
        for arc in self.arcs:
            self._draw_label(arc)
        wires = [(gpu, link) for gpu in self.gpus for link in self._nvlinks(gpu)
                 if link["to"].startswith("NVS")]
        if not wires:
            return low
        line = Line(switch_words, "t2")
        bar = Box(above.x, low + BAR_GAP, max(above.w, line.width + 2 * BAR_MARGIN), BAR_HEIGHT)
        for gpu, link in wires:
            self._draw_to_switch(gpu, link["gbps"], bar.y)
        self.sketch.canvas.rect(bar, "nvswitch")
        self.sketch.canvas.texts([line], bar, "on")
        self.sketch.taken.append(bar)
        return bar.bottom

    def _nvlinks(self, gpu: Part) -> list[Json]:
        return [link for link in self.links.get(gpu.node, []) if link["kind"] == "NVL"]

    def _draw_to_switch(self, gpu: Part, gbps: float, y: float) -> None:
        facts = gpu_of(gpu)
        capacity = max((link.get("capacity", 0) for link in facts.get("nvlinks", [])), default=0)
        active, label = nvlink_count(facts), [f"{gbps_text(gbps)} GB/s"]
        bad = active < capacity
        wire = Wire(gbps, [f"{active} of {capacity}"] * bad + label, bad, "nvl")
        wire.draw(self.sketch, gpu.box.center, gpu.box.bottom, y)

    def _start(self, gpu: int, other: int) -> float:
        """Where an arc begins below a GPU: near ones inside, so that no two cross here."""
        left = sorted((arc.left for arc in self.arcs if arc.right == gpu), reverse=True)
        right = sorted((arc.right for arc in self.arcs if arc.left == gpu), reverse=True)
        ends, box = [*left, *right], self.gpus[gpu].box
        return box.center + box.w * ARC_SPREAD * ((ends.index(other) + 0.5) / len(ends) - 0.5)

    def _top(self, arc: Arc) -> float:
        return max(self.gpus[arc.left].box.bottom, self.gpus[arc.right].box.bottom)

    def _draw_arc(self, arc: Arc) -> None:
        a, b = self.gpus[arc.left], self.gpus[arc.right]
        x1, x2 = self._start(arc.left, arc.right), self._start(arc.right, arc.left)
        low = self._top(arc) + arc.depth
        count = counted(nvlink_count(gpu_of(a), b.devices[0]["bus_id"]), link_word(gpu_of(a)))
        with self.sketch.canvas.tip([f"{local_name(a.node)} to {local_name(b.node)}: {count}, "
                                     f"{gbps_text(arc.gbps)} GB/s"]):
            self.sketch.line(f"M {x1:.1f} {a.box.bottom:.1f} C {x1:.1f} {low:.1f} {x2:.1f} "
                             f"{low:.1f} {x2:.1f} {b.box.bottom:.1f}", "nvl", arc.gbps)

    def _draw_label(self, arc: Arc) -> None:
        """At the first place of the curve where nothing lies yet; nowhere where there is none."""
        x1, x2 = self._start(arc.left, arc.right), self._start(arc.right, arc.left)
        line = Line(f"{gbps_text(arc.gbps)} GB/s", "t4")
        for t in (0.5, 0.4, 0.6, 0.3, 0.7):
            x = x1 + (x2 - x1) * t * t * (3 - 2 * t)
            y = self._top(arc) + arc.depth * 3 * t * (1 - t) + 4
            box = Box(x - line.width / 2, y - line.height, line.width, line.height)
            if any(map(box.overlaps, self.sketch.taken)):
                continue
            self.sketch.taken.append(box)
            self.sketch.canvas.rect(Box(box.x, box.y + 3, box.w, box.h), "ground", 3)
            self.sketch.canvas.text(line, x, y, "middle")
            return
