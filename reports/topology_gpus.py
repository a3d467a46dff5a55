"""GPUs, their NVLinks and the looks of hosts, as `linerate topo --json` has them."""

from __future__ import annotations

from typing import Any

from topology_part import Part
from topology_text import Json, counted, gbps_text, local_name, names_in_short

OF_ONE_HOST = ("node", "guid", "host_hash", "rank")  # which no two hosts share
SWITCH_CLASS = "0x068000"
UNSEEN_SWITCH = "fffffff:"  # NCCL's bus id where the switches are out of the host's sight


def gpu_of(part: Part) -> Json:
    return part.devices[0]["gpu"]


def link_word(gpu: Json) -> str:
    return "xGMI link" if "gcn" in gpu else "NVLink"


def nvlink_count(gpu: Json, target: str | None = None) -> int:
    """Active links of a GPU: all, or those to one target's class or bus id."""
    return sum(link["count"] for link in gpu.get("nvlinks", [])
               if target in (None, link["target"], link.get("target_class")))


def _switch_chips(gpu: Json) -> int:
    return len({link["target"] for link in gpu.get("nvlinks", [])
                if link.get("target_class") == SWITCH_CLASS and link["count"] > 0
                and not link["target"].startswith(UNSEEN_SWITCH)})


def switch_text(gpus: list[tuple[str, Json, float]], hosts: int) -> str:
    """4 NVSwitches: 18 NVLinks, 371 GB/s from each of GPU0-GPU7.

    `gpus`: name, facts and GB/s of each GPU that has a link to the switches.
    """
    chips = max(_switch_chips(gpu) for _, gpu, _ in gpus)
    groups: dict[tuple[int, float], list[str]] = {}
    for name, gpu, gbps in gpus:
        groups.setdefault((nvlink_count(gpu, SWITCH_CLASS), gbps), []).append(local_name(name))
    word, parts = link_word(gpus[0][1]), []
    for (count, gbps), names in sorted(groups.items(), reverse=True):
        who = f"{counted(len(names), 'GPU')} on {hosts} hosts"
        who = who if hosts > 1 else names_in_short(names)
        each = "each of " if len(names) > 1 else ""
        parts.append(f"{counted(count, word)}, {gbps_text(gbps)} GB/s from {each}{who}")
    return f"{counted(chips, 'NVSwitch') if chips else 'NVSwitch'}: {'; '.join(parts)}"


def gpus_below(device: Json) -> list[Json]:
    own = [device["gpu"]] if "node" in device.get("gpu", {}) else []
    return own + [gpu for child in device.get("children", []) for gpu in gpus_below(child)]


def look_of(value: Any) -> Any:
    """A part of the topology without what is one host's alone."""
    if isinstance(value, list):
        return [look_of(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: look_of(item) for key, item in value.items() if key not in OF_ONE_HOST}
