"""The picture of a cluster: the spine, the leaves of each rack, and the nodes below them.

What carries less than what is below it could send is red, and so are nodes with slower NICs.
"""

from __future__ import annotations

import json

from svg import Box, Line
from topology_links import Sketch
from topology_racks import HEIGHT_ABOVE, RackSketch, parts_of
from topology_text import Json, counted, gbps_text

MARGIN, HEAD, GAP = 24, 74, 22  # around all; of the title; between racks
MIN_WIDTH, SPINE_HEIGHT, ROW, SAMPLE = 680, 46, 22, 38
MAX_SINGLE, MAX_DRAWN = 6, 12  # racks drawn one by one; drawn at all


def ratio_text(level: Json) -> str:
    ratio = level["oversubscription"]
    told = f"oversubscribed {ratio:g}:1" if ratio > 1 else "not oversubscribed"
    return told + (f", {level['latency_us']:g} us" if level["latency_us"] > 0 else "")


class ClusterPicture:
    def __init__(self, cluster: Json) -> None:
        self.cluster, self.racks, self.sketch = cluster, cluster["racks"], Sketch()
        self.has_spine = len(self.racks) > 1
        self.rack = RackSketch(self.sketch, cluster)

    def document(self) -> str:
        columns, step = self._columns(), self.rack.width + GAP
        drawn = columns[:MAX_DRAWN]
        width = max(2 * MARGIN + len(drawn) * step - GAP, MIN_WIDTH)
        top = HEAD + (SPINE_HEIGHT + HEIGHT_ABOVE) * self.has_spine
        bottom = 0.0
        for at, alike in enumerate(drawn):
            left = MARGIN + at * step
            bottom = max(bottom, self.rack.draw(left, top, alike, self.has_spine))
        if self.has_spine:
            self._draw_spine(width)
        bottom = self._draw_notes(bottom + ROW, sum(map(len, columns[MAX_DRAWN:])))
        return self.sketch.canvas.document(width, bottom, self._draw_head(width))

    def _columns(self) -> list[list[int]]:
        """Racks by number; where there are many, those that follow each other and are alike."""
        columns: list[list[int]] = []
        looks: list[str] = []
        for number, rack in enumerate(self.racks):
            parts = [(count, group["topology"]) for group, _, count in
                     parts_of(rack, self.cluster)]
            look = json.dumps([parts, rack["leaf_gbps"]])
            if len(self.racks) > MAX_SINGLE and looks and looks[-1] == look:
                columns[-1].append(number)
                continue
            columns.append([number])
            looks.append(look)
        return columns

    def _spine_is_slow(self) -> bool:
        return self.has_spine and self.cluster["spine"]["oversubscription"] > 1

    def _draw_spine(self, width: float) -> None:
        spine, slow = self.cluster["spine"], self._spine_is_slow()
        box = Box(MARGIN, HEAD, width - 2 * MARGIN, SPINE_HEIGHT)
        with self.sketch.canvas.tip([f"spine, {gbps_text(spine['gbps'])} GB/s"]):
            self.sketch.canvas.rect(box, "down" if slow else "switch")
            self.sketch.canvas.texts(
                [Line("spine", "t2"), Line(f"{gbps_text(spine['gbps'])} GB/s, {ratio_text(spine)}",
                                           "alert" if slow else "t3")], box)

    def _draw_head(self, width: float) -> str:
        """Yields the title."""
        groups = self.cluster["groups"]
        gpus = sum(group["count"] * group["gpus"] for group in groups)
        rails = self.cluster["rails"]
        about = [counted(self.cluster["nnodes"], "node"), counted(gpus, "GPU"),
                 counted(len(self.racks), "rack"), f"leaves {ratio_text(self.cluster['leaf'])}"]
        about += [f"{rails} rails with a leaf each"] * (rails > 1)
        title = self.cluster.get("name") or "cluster"
        canvas, room = self.sketch.canvas, width - 2 * MARGIN
        canvas.text(Line(title, "t1").cut_to(room), MARGIN, 32)
        canvas.text(Line(" · ".join(about)).cut_to(room), MARGIN, 52)
        return title

    def _draw_notes(self, y: float, left_out: int) -> float:
        """Yields where they end."""
        notes = [(f"{counted(left_out, 'more rack')} not drawn", "")] * (left_out > 0)
        if self.sketch.degraded or self._spine_is_slow():
            notes.append(("carries less than what is below it could send",
                          "line" if self.sketch.degraded else "box"))
        notes += [("has less NIC bandwidth for each GPU than other nodes", "box")] * self.rack.slow
        notes.append(("GB/s one way; thicker is faster", ""))
        for text, sample in notes:
            if sample == "line":
                self.sketch.line(f"M {MARGIN} {y - 4:.1f} h {SAMPLE - 8}", "pci", 25, True)
            elif sample == "box":
                self.sketch.canvas.rect(Box(MARGIN, y - 11, SAMPLE - 8, 13), "down", 3)
            self.sketch.canvas.text(Line(text), MARGIN + SAMPLE * bool(sample), y)
            y += ROW
        return y
