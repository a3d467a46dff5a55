"""The links of a host's picture: PCI and C2C from above, NVLinks below, between processors on top.

Each is as thick as it is fast, with its GB/s beside it; degraded ones are dashed in red.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log2

from svg import Box, Canvas, Line
from topology_layout import BOX_PADDING
from topology_part import Part
from topology_text import Json, gbps_text, is_known

BUS_HEIGHT = 40  # above the processors, where there are several
LOCAL_GBPS = 5000  # NCCL's number where there is no link of a known speed


def thickness_of(gbps: float) -> float:
    """Pixels: more by the same amount with each doubling of the bandwidth."""
    return min(1.5 + 1.1 * log2(max(gbps, 6) / 6), 9)


@dataclass
class Sketch:
    """A picture while it is drawn."""

    canvas: Canvas = field(default_factory=Canvas)
    kinds: set[str] = field(default_factory=set)  # of links, for the legend
    degraded: bool = False
    taken: list[Box] = field(default_factory=list)  # no label of an arc lies there

    def line(self, path: str, kind: str, gbps: float, bad: bool = False) -> None:
        self.kinds.add(kind)
        self.degraded |= bad
        self.canvas.path(path, f"link {kind}{' bad' * bad}", thickness_of(gbps))


@dataclass
class Wire:
    """A line from top to bottom with its label."""

    gbps: float
    label: list[str]
    bad: bool = False
    kind: str = "pci"

    def draw(self, sketch: Sketch, x: float, top: float, bottom: float, left: bool = False) -> None:
        sketch.line(f"M {x:.1f} {top:.1f} V {bottom:.1f}", self.kind, self.gbps, self.bad)
        beside = thickness_of(self.gbps) / 2 + 4
        y = bottom - 13 - 6 * max(len(self.label) - 1, 0)
        for text in self.label:
            line = Line(text, "alert" if self.bad else "t4")
            sketch.canvas.text(line, x - beside if left else x + beside, y,
                               "end" if left else "start", "halo")
            y += 12


def pci_wire(devices: list[Json]) -> Wire:
    """PCI links one behind the other are as fast as the slowest."""
    if not devices:
        return Wire(0, [])
    slowest = min(devices, key=lambda device: device["link"]["gbps"])
    gbps = slowest["link"]["gbps"]
    label = [f"{gbps_text(gbps)} GB/s"]
    if slowest["degraded"]:
        best = gbps_text(slowest["max_link"]["gbps"])
        return Wire(gbps, [f"{gbps_text(gbps)} of", f"{best} GB/s"], bad=True)
    return Wire(gbps, label if is_known(slowest["link"]) else ["not known:", *label])


def draw_trunk(sketch: Sketch, stack: Part, top: float) -> None:
    """One line for NICs on top of each other, with a stub to each."""
    x, wires = stack.box.x + 4, [pci_wire(nic.devices) for nic in stack.below]
    for nic, wire in zip(stack.below, wires, strict=True):
        start = x - thickness_of(wire.gbps) / 2
        sketch.line(f"M {start:.1f} {nic.box.y + nic.box.h / 2:.1f} H {nic.box.x:.1f}", "pci",
                    wire.gbps, wire.bad)
    speeds = sorted({gbps_text(wire.gbps): wire.gbps for wire in wires}.values())
    text = " to ".join(dict.fromkeys((gbps_text(speeds[0]), gbps_text(speeds[-1]))))
    Wire(speeds[-1], [f"{text} GB/s each"]).draw(sketch, x, top, stack.box.y)
    last = stack.below[-1].box
    Wire(speeds[-1], []).draw(sketch, x, stack.box.y, last.y + last.h / 2)


def draw_processor_bus(sketch: Sketch, cpus: list[Part], links: dict[str, list[Json]]) -> None:
    """A line above a host's processors for the links between them."""
    gbps = [link["gbps"] for cpu in cpus for link in links.get(cpu.node, [])
            if link["kind"] == "SYS"]
    if not gbps:
        return
    first, last, bottom = cpus[0].box.center, cpus[-1].box.center, cpus[0].box.y
    y = bottom - BOX_PADDING - BUS_HEIGHT / 2 + 8
    path = f"M {first:.1f} {bottom:.1f} V {y:.1f} H {last:.1f} V {bottom:.1f}"
    path += "".join(f" M {cpu.box.center:.1f} {y:.1f} V {bottom:.1f}" for cpu in cpus[1:-1])
    sketch.line(path, "sys", min(max(gbps), 100))
    ends = dict.fromkeys((gbps_text(min(gbps)), gbps_text(max(gbps))))
    speed = "speed not known" if max(gbps) >= LOCAL_GBPS else f"{' to '.join(ends)} GB/s"
    each = "each to each, " if len(cpus) > 2 else ""
    sketch.canvas.text(Line(each + speed, "t4"), (first + last) / 2,
                       y - thickness_of(min(max(gbps), 100)) / 2 - 5, "middle")
