#!/usr/bin/env python3
"""Draws what `linerate topo --json` prints: topology.py < machine.json > machine.svg.

A box for each NUMA node, its switches, GPUs and NICs below it, NVSwitches as a bar. Hosts that
look alike are drawn once. It follows the viewer's preference for a light or dark ground.
Exit codes: 0 ok; 2 stdin has no topology.
"""

from __future__ import annotations

import json
import sys

from svg import Box, Line, plain
from topology_cluster import ClusterPicture
from topology_gpus import gpus_below, look_of, switch_text
from topology_host import HostSketch
from topology_legend import ROW_HEIGHT, draw_legend
from topology_links import Sketch
from topology_parts import cpu_part
from topology_text import Json, counted, lines_of, names_in_short

MARGIN, MIN_WIDTH = 24, 680
HEAD_HEIGHT = 70  # title and what is below it
CAPTION_HEIGHT, BELOW_HOST = 26, 28


class Picture:
    def __init__(self, topology: Json) -> None:
        self.topology, self.sketch = topology, Sketch()
        self.width, self.y = float(MIN_WIDTH), float(HEAD_HEIGHT)
        self.links: dict[str, list[Json]] = {}
        for link in topology["links"]:
            self.links.setdefault(link["from"], []).append(link)
        host_of = {node["name"]: node.get("host") for node in topology["nodes"]}
        self.hosts: dict[int, list[Json]] = {}
        for cpu in topology["cpus"]:
            if "node" in cpu:
                self.hosts.setdefault(host_of[cpu["node"]], []).append(cpu)

    def document(self) -> str:
        looks = {host: json.dumps(look_of(cpus)) for host, cpus in self.hosts.items()}
        for look in dict.fromkeys(looks.values()):
            self._draw_group([host for host in looks if looks[host] == look])
        xgmi = any("gcn" in gpu for gpu in self._gpus())
        self.y = draw_legend(self.sketch, Box(MARGIN, self.y, self.width - MARGIN),
                             self.topology["nccl_version"], "xGMI" if xgmi else "NVLink")
        self._draw_notes()
        return self.sketch.canvas.document(self.width, self.y, self._draw_head())

    def _draw_group(self, alike: list[int]) -> None:
        """The first of hosts that look alike."""
        if len(self.hosts) > 1:
            names = names_in_short([f"h{host}" for host in alike])
            more = f"{len(alike)} hosts alike: {names}, one of them drawn"
            self.sketch.canvas.text(Line(more if len(alike) > 1 else names, "t2"), MARGIN,
                                    self.y + CAPTION_HEIGHT / 2)
            self.y += CAPTION_HEIGHT
        parts = [cpu_part(cpu) for cpu in self.hosts[alike[0]]]
        box = HostSketch(self.sketch, self.links).draw(parts, MARGIN, self.y, self._switch_text())
        rights = [box.right, *(taken.right for taken in self.sketch.taken)]
        self.width = max(self.width, max(rights) + MARGIN)
        self.y = box.bottom + BELOW_HOST

    def _gpus(self) -> list[Json]:
        return [gpu for cpus in self.hosts.values() for cpu in cpus
                for device in cpu["devices"] for gpu in gpus_below(device)]

    def _switch_text(self) -> str:
        """Of all hosts together: they share their NVSwitches."""
        behind = [(gpu["node"], gpu, link["gbps"]) for gpu in self._gpus()
                  for link in self.links.get(gpu["node"], []) if link["to"].startswith("NVS")]
        return switch_text(behind, len(self.hosts)) if behind else ""

    def _draw_notes(self) -> None:
        for sentence in self.topology["unseen"]:
            columns = int((self.width - 2 * MARGIN) / 6.4)
            for line in lines_of(f"Not seen: {plain(sentence)}", columns):
                self.sketch.canvas.text(Line(line, "t4"), MARGIN, self.y)
                self.y += ROW_HEIGHT

    def _draw_head(self) -> str:
        """Yields the title."""
        kinds = [node["kind"] for node in self.topology["nodes"]]
        cpus = [cpu for host in self.hosts.values() for cpu in host]
        numas = sum(cpu["numa"] >= 0 for cpu in cpus) or len(cpus)
        summary = ", ".join([f"{len(self.hosts)} hosts"] * (len(self.hosts) > 1) +
                            [counted(numas, "NUMA node"), counted(kinds.count("GPU"), "GPU"),
                             counted(kinds.count("NET"), "NIC port")])
        source = self.topology.get("source", "")
        title = self.topology.get("name") or source
        about = " · ".join(filter(None, (plain(source) if source != title else "", summary)))
        width = self.width - 2 * MARGIN
        self.sketch.canvas.text(Line(plain(title), "t1").cut_to(width), MARGIN, 32)
        self.sketch.canvas.text(Line(about).cut_to(width), MARGIN, 52)
        return title


def main() -> int:
    try:
        topology = json.load(sys.stdin)
        pictures = {"topology": Picture, "cluster": ClusterPicture}
        if (kind := topology.get("kind")) not in pictures:
            raise ValueError("it has no kind \"topology\" or \"cluster\"")
        sys.stdout.write(pictures[kind](topology).document())
    except (ValueError, KeyError, AttributeError) as problem:
        print(f"topology.py: stdin is not what linerate topo --json prints: {problem!r}.",
              file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main())
