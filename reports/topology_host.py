"""The picture of one host: its parts, and the links between them."""

from __future__ import annotations

from svg import Box
from topology_gpus import gpu_of, link_word
from topology_layout import BOX_PADDING, Layout
from topology_links import BUS_HEIGHT, Sketch, Wire, draw_processor_bus, draw_trunk, pci_wire
from topology_nvlinks import NvLinkSketch
from topology_part import Part
from topology_text import Json, gbps_text, local_name

TWO_WIRES = 16  # from the middle of a GPU that has two links upwards


class HostSketch:
    """`links`: those of the graph, by the node that they start at."""

    def __init__(self, sketch: Sketch, links: dict[str, list[Json]]) -> None:
        self.sketch, self.links = sketch, links

    def draw(self, cpus: list[Part], x: float, y: float, switch_words: str) -> Box:
        """With the upper left corner at (x, y); yields the place that it takes."""
        gpus = [part for cpu in cpus for part in cpu.walk() if part.kind == "gpu"]
        top = y + (BUS_HEIGHT if len(cpus) > 1 else 0)
        layout = Layout.of(cpus, any(map(self._links_to_cpu, gpus)))
        layout.place(cpus, x, top + BOX_PADDING)
        bottom = max(part.box.bottom for cpu in cpus for part in cpu.walk()) + BOX_PADDING
        whole = Box(x, top, cpus[-1].box.right + BOX_PADDING - x, bottom - top)
        for cpu in cpus:
            numa = Box(cpu.box.x - BOX_PADDING, top, cpu.box.w + 2 * BOX_PADDING, whole.h)
            self.sketch.canvas.rect(numa, "numa", 10)
        draw_processor_bus(self.sketch, cpus, self.links)
        for cpu in cpus:
            self._draw_wires(cpu, cpu.box)
        for part in (part for cpu in cpus for part in cpu.walk() if part.kind != "stack"):
            self._draw_part(part)
        whole.h = NvLinkSketch(self.sketch, gpus, self.links).draw(whole, switch_words) - top
        return whole

    def _draw_part(self, part: Part) -> None:
        with self.sketch.canvas.tip([*part.tip, *self._link_tips(part)]):
            self.sketch.canvas.rect(part.box, part.kind)
            self.sketch.canvas.texts(part.lines, part.box, "on" if part.kind == "cpu" else "")
        self.sketch.taken.append(part.box)

    def _draw_wires(self, above: Part, cpu: Box) -> None:
        for part in above.below:
            if part.kind == "stack":
                draw_trunk(self.sketch, part, above.box.bottom)
                continue
            beside = self._links_to_cpu(part)
            for link in beside:
                wire = Wire(link["gbps"], [f"{gbps_text(link['gbps'])} GB/s"],
                            kind=link["kind"].lower())
                wire.draw(self.sketch, part.box.center - TWO_WIRES, cpu.bottom, part.box.y,
                          left=True)
            pci_wire(part.devices).draw(self.sketch, part.box.center + TWO_WIRES * bool(beside),
                                        above.box.bottom, part.box.y)
            self._draw_wires(part, cpu)

    def _link_tips(self, part: Part) -> list[str]:
        """Of a GPU's NVLinks and C2C: NVLink to NVS0, 371 GB/s."""
        words = {"NVL": link_word(gpu_of(part)), "C2C": "C2C"} if part.kind == "gpu" else {}
        return [f"{words[link['kind']]} to {local_name(link['to'])}, "
                f"{gbps_text(link['gbps'])} GB/s"
                for link in self.links.get(part.node, []) if link["kind"] in words]

    def _links_to_cpu(self, part: Part) -> list[Json]:
        """C2C, or the NVLinks of POWER's GPUs."""
        return [link for link in self.links.get(part.node, []) if part.kind == "gpu"
                and link["kind"] != "PCI" and link["to"].rpartition("/")[2].startswith("CPU")]
