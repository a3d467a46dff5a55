"""Topology files to compare on: every built-in platform, and a node cut down in several ways."""

from __future__ import annotations

import xml.etree.ElementTree as Xml
from collections.abc import Iterator
from pathlib import Path

from own import LINERATE, run


def exported(folder: Path) -> dict[str, Path]:
    """By platform; those that no file can hold are left out."""
    listed = run([*LINERATE, "topo", "--list-platforms"], {}).stdout
    files = {}
    for name in (line.split()[0] for line in listed.splitlines()):
        file = folder / f"{name}.xml"
        done = run([*LINERATE, "topo", "--platform", name, "--export-nccl", str(file)], {})
        if done.returncode == 0:
            files[name] = file
    return files


def cut_down(of: Path, folder: Path) -> dict[str, Path]:
    """One GPU (PAT), two (NVLS or not), four; half the NICs; no NICs' GPUDirect."""
    cuts = {"1-gpu": {"gpu": 1, "net": 1}, "2-gpus": {"gpu": 2, "net": 2},
            "4-gpus": {"gpu": 4, "net": 8}, "4-nics": {"gpu": 8, "net": 4}}
    files = {}
    for name, counts in cuts.items():
        tree = Xml.parse(of)
        for tag, count in counts.items():
            keep_every(tree.getroot(), tag, count)
        files[name] = folder / f"{name}.xml"
        tree.write(files[name])
    return files


def gpus_of(machine: Path) -> int:
    return len(list(Xml.parse(machine).getroot().iter("gpu")))


def keep_every(root: Xml.Element, tag: str, count: int) -> None:
    """Keeps `count` devices, evenly spread, with new numbers; the others go with their <pci>."""
    devices = list(holders(root, tag))
    kept = devices[:: max(1, len(devices) // count)][:count]
    for parent, holder in devices:
        if (parent, holder) not in kept:
            parent.remove(holder)
    for number, (_, holder) in enumerate(kept):
        for device in holder.iter(tag):
            device.set("dev", str(number))
            if tag == "gpu":
                device.set("rank", str(number))


def holders(root: Xml.Element, tag: str) -> Iterator[tuple[Xml.Element, Xml.Element]]:
    """The innermost <pci> around each device, and what that stands in."""
    for parent in root.iter():
        for child in parent.findall("pci"):
            if child.find(tag) is not None or child.find(f"nic/{tag}") is not None:
                yield parent, child
