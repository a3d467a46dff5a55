"""What the lines of a machine's picture mean, in rows below it."""

from __future__ import annotations

from svg import Box, Line
from topology_links import Sketch

ROW_HEIGHT, SAMPLE, GAP = 20, 30, 24  # of a row; the length of a line; between entries
SAMPLE_GBPS = 48


def draw_legend(sketch: Sketch, room: Box, nccl_version: str, nvlink: str) -> float:
    """Of what the picture has, from the upper left corner of `room` on; yields where it ends."""
    kinds = {"pci": "PCI Express", "nvl": nvlink, "c2c": "C2C", "sys": "between processors"}
    entries = [(text, kind, False) for kind, text in kinds.items() if kind in sketch.kinds]
    entries += [("degraded: below what both ends can do", "pci", True)] * sketch.degraded
    entries.append((f"GB/s of one direction, as NCCL {nccl_version} counts them; thicker is faster",
                    "", False))
    x, y = room.x, room.y
    for text, kind, bad in entries:
        line, sample = Line(text), SAMPLE + 8 if kind else 0
        if x > room.x and x + sample + line.width + GAP > room.right:
            x, y = room.x, y + ROW_HEIGHT
        if kind:
            sketch.line(f"M {x:.1f} {y - 4:.1f} H {x + SAMPLE:.1f}", kind, SAMPLE_GBPS, bad)
        sketch.canvas.text(line, x + sample, y)
        x += sample + line.width + GAP
    return y + ROW_HEIGHT
