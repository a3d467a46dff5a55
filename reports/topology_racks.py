"""One rack of a cluster's picture: leaf switches on top, its nodes below, uplinks above."""

from __future__ import annotations

from svg import Box, Line
from topology_links import Sketch
from topology_text import Json, counted, gbps_text

HEIGHT_ABOVE = 74  # of the uplinks
LEAF, LEAF_GAP, LEAF_HEIGHT = 26, 6, 26
DOWNLINK, CARD, CARD_GAP = 46, 66, 8
MAX_TEXT, TEXT_PADDING, PADDING, CAPTION = 300, 10, 14, 26
ROUNDING = 0.01  # GB/s
THIN = 8  # GB/s of a rail are drawn as thick as an eighth of a NIC's


Part = tuple[Json, int, int]  # nodes of a rack: their group, the first one, how many


def numbered(word: str, first: int, count: int) -> str:
    return f"{word} {first}" if count == 1 else f"{word}s {first}-{first + count - 1}"


def parts_of(rack: Json, cluster: Json) -> list[Part]:
    """The groups that have nodes in a rack."""
    end, parts = rack["first"] + rack["count"], []
    for group in cluster["groups"]:
        first = max(rack["first"], group["first"])
        last = min(end, group["first"] + group["count"])
        if first < last:
            parts.append((group, first, last - first))
    return parts


def is_narrow(rack: Json, cluster: Json) -> bool:
    """Whether its uplinks carry less than its nodes could send; a rack need not be full."""
    below = sum(count * group["gbps"] for group, _, count in parts_of(rack, cluster))
    return sum(rack["leaf_gbps"]) < below - ROUNDING


def gbps_of_gpu(group: Json) -> float:
    """Of a node's NICs together, for each of its GPUs."""
    return group["gbps"] / max(group["gpus"], 1)


class RackSketch:
    def __init__(self, sketch: Sketch, cluster: Json) -> None:
        self.sketch, self.cluster = sketch, cluster
        self.leaves = cluster["rails"] * (LEAF + LEAF_GAP) - LEAF_GAP
        self.slow = False  # some nodes that were drawn
        self.best = max(map(gbps_of_gpu, cluster["groups"]))
        texts = [line.width for rack in cluster["racks"] for part in parts_of(rack, cluster)
                 for line in self._card_lines(part)]
        widest = min(max(texts, default=0), MAX_TEXT) + 2 * TEXT_PADDING
        self.width = max(self.leaves, widest) + 2 * PADDING

    def draw(self, x: float, y: float, alike: list[int], has_spine: bool) -> float:
        """The first of racks that are alike; yields where it ends."""
        rack = self.cluster["racks"][alike[0]]
        parts = parts_of(rack, self.cluster)
        cards = y + PADDING + LEAF_HEIGHT + DOWNLINK
        bottom = cards + len(parts) * (CARD + CARD_GAP) - CARD_GAP + PADDING
        self.sketch.canvas.rect(Box(x, y, self.width, bottom - y), "numa", 10)
        left = x + (self.width - self.leaves) / 2
        for rail, gbps in enumerate(rack["leaf_gbps"]):
            self._draw_leaf(Box(left + rail * (LEAF + LEAF_GAP), y + PADDING, LEAF, LEAF_HEIGHT),
                            (str(rail), gbps, is_narrow(rack, self.cluster)),
                            y - HEIGHT_ABOVE if has_spine else None)
        if has_spine:
            self._label_uplinks(rack, x + self.width / 2, y - HEIGHT_ABOVE / 2)
        for at, part in enumerate(parts):
            self._draw_nodes(part, Box(x + PADDING, cards + at * (CARD + CARD_GAP),
                                       self.width - 2 * PADDING, CARD))
        more = f", {len(alike)} racks alike" if len(alike) > 1 else ""
        self.sketch.canvas.text(Line(numbered("rack", alike[0], len(alike)) + more, "t2"),
                                x + PADDING, bottom + CAPTION - 8)
        return bottom + CAPTION

    def _draw_leaf(self, box: Box, leaf: tuple[str, float, bool], spine: float | None) -> None:
        """With its links: up to the spine, down to the nodes."""
        rail, gbps, narrow = leaf
        below = gbps * self.cluster["leaf"]["oversubscription"]
        with self.sketch.canvas.tip([f"leaf of rail {rail}: {gbps_text(gbps)} GB/s to the spine, "
                                     f"{gbps_text(below)} GB/s to its nodes"]):
            if spine is not None and gbps > 0:
                self.sketch.line(f"M {box.center:.1f} {spine:.1f} V {box.y:.1f}", "pci",
                                 gbps / THIN, narrow)
            if gbps > 0:
                self.sketch.line(f"M {box.center:.1f} {box.bottom:.1f} v {DOWNLINK}", "pci",
                                 below / THIN)
            self.sketch.canvas.rect(box, "switch")
            self.sketch.canvas.texts([Line(rail, "t4")], box)

    def _label_uplinks(self, rack: Json, x: float, y: float) -> None:
        gbps = [leaf for leaf in rack["leaf_gbps"] if leaf > 0] or [0.0]
        least, most = gbps_text(min(gbps)), gbps_text(max(gbps))
        each = least if least == most else f"{least} to {most}"
        text = f"{counted(len(gbps), 'uplink')} of {each} GB/s"
        line = Line(text, "alert" if is_narrow(rack, self.cluster) else "t4")
        self.sketch.canvas.rect(Box(x - line.width / 2 - 4, y - 8, line.width + 8, 16), "ground", 3)
        self.sketch.canvas.text(line, x, y + 4, "middle")

    def _card_lines(self, part: Part) -> list[Line]:
        group, first, count = part
        slow = gbps_of_gpu(group) < self.best
        told = [counted(group["gpus"], "GPU"), counted(group["ports"], "NIC port")]
        hosts = [counted(group["hosts"], "host")] * (group["hosts"] > 1)
        return [Line(f"{count} x {group['topology']}" if count > 1 else group["topology"], "t2"),
                Line(f"{numbered('node', first, count)}: {', '.join(hosts + told)}", "t4"),
                Line(f"{gbps_text(group['gbps'])} GB/s of NICs each", "alert" if slow else "t3")]

    def _draw_nodes(self, part: Part, box: Box) -> None:
        group, lines = part[0], self._card_lines(part)
        slow = gbps_of_gpu(group) < self.best
        self.slow |= slow
        with self.sketch.canvas.tip([f"{group['topology']}, {group.get('gpu_model', '')}"]):
            self.sketch.canvas.rect(box, "down" if slow else "gpu")
            room = box.w - TEXT_PADDING
            self.sketch.canvas.texts([line.cut_to(room) for line in lines], box)
