"""How the picture of a machine words names, counts, bandwidths and links."""

from __future__ import annotations

import re
from typing import Any

Json = dict[str, Any]
GENERATIONS = {"2.5": 1, "5.0": 2, "5": 2, "8.0": 3, "8": 3, "16.0": 4, "16": 4, "32.0": 5,
               "32": 5, "64.0": 6, "64": 6}  # by GT/s


def gbps_text(gbps: float) -> str:
    return f"{gbps:.0f}" if gbps >= 100 or gbps == round(gbps) else f"{gbps:.1f}"


def counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 'es' if word.endswith('ch') else 's'}"


def local_name(node: str) -> str:
    """A node's name on its own host: GPU3 of h2/GPU3."""
    host, slash, name = node.partition("/")
    return name if slash and host[:1] == "h" and host[1:].isdigit() else node


def is_known(link: Json) -> bool:
    return link.get("speed", "").partition(" ")[0] in GENERATIONS and "width" in link


def pcie_text(device: Json) -> str:
    def told(link: Json) -> str:
        return f"{GENERATIONS[link['speed'].partition(' ')[0]]}.0 x{link['width']}"
    link = device["link"]
    if not is_known(link):
        return f"PCIe link not known, NCCL counts {gbps_text(link['gbps'])} GB/s"
    if not device["degraded"]:
        return f"PCIe {told(link)}, {gbps_text(link['gbps'])} GB/s"
    best = device["max_link"]
    return (f"PCIe {told(link)} of {told(best)}, "
            f"{gbps_text(link['gbps'])} of {gbps_text(best['gbps'])} GB/s")


def link_text(device: Json) -> str:
    return f"{device['bus_id']}, {pcie_text(device)}"


def core_count(cores: str) -> str:
    ranges = [part.split("-") for part in cores.split(",")]
    if not all(number.isdigit() for ends in ranges for number in ends):
        return f"cores {cores}"
    return counted(sum(int(ends[-1]) - int(ends[0]) + 1 for ends in ranges), "core")


def names_in_short(names: list[str]) -> str:
    """GPU0-GPU3, GPU6: three and more numbered names in a row are told by the first and last."""
    rows: list[list[str]] = []
    for name in names:
        if rows and _follows(name, rows[-1][-1]):
            rows[-1].append(name)
        else:
            rows.append([name])
    return ", ".join(f"{row[0]}-{row[-1]}" if len(row) > 2 else ", ".join(row) for row in rows)


def _follows(name: str, before: str) -> bool:
    stem = before.rstrip("0123456789")
    number = before[len(stem):]
    return number.isdigit() and name == f"{stem}{int(number) + 1}"


def lines_of(text: str, columns: int) -> list[str]:
    """Broken after blanks, commas and hyphens; words that are longer stand out."""
    lines = [""]
    for piece in re.findall(r"[^ ,-]*[ ,-]|[^ ,-]+", text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > columns:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]
