"""What stands in the picture of a host: processors, PCI switches, GPUs and NICs, with their texts.

Read from what `linerate topo --json` prints. Chains of switches above one device are folded.
"""

from __future__ import annotations

from svg import Line
from topology_part import Part, stacked
from topology_text import Json, core_count, counted, lines_of, link_text, local_name

LEFT_OUT = "NCCL leaves it out"


def _gpu(device: Json) -> Part:
    gpu = device["gpu"]
    chip = gpu.get("gcn") or (f"sm_{gpu['sm']}" if "sm" in gpu else "")
    model = gpu.get("model") or chip or "model not known"
    short = model
    for maker in ("NVIDIA ", "AMD ", "Tesla "):
        short = short.removeprefix(maker)
    lines = lines_of(short, 12)[:3]
    name = local_name(gpu["node"])
    about = ", ".join(dict.fromkeys(filter(None, (model, chip))))
    tip = [f"{name}: {about}", link_text(device)]
    return Part("gpu", [Line(name, "t2"), *map(Line, lines), Line(device["bus_id"], "t4")], tip,
                [device], gpu["node"])


def _nic(ports: list[Json], device: Json | None) -> Part:
    nic = Part("nic", node=ports[0]["node"])
    for port in ports:
        name, state = local_name(port["node"]), port.get("state", "")
        speed = f"{port['speed_gbit_s']:.4g} Gb/s" if "speed_gbit_s" in port else "speed not known"
        used, down = port["nccl_takes"], state not in ("", "ACTIVE")
        told = used or "speed_gbit_s" in port
        nic.lines.append(Line(name, "t2"))
        nic.lines += [Line(speed)] * told + [Line(state, "alert")] * down
        nic.lines += [] if used else [Line(LEFT_OUT, "t4")]
        facts = (f"{speed if told else ''} {port.get('link_layer', '')}".strip(), state,
                 "" if used else LEFT_OUT)
        nic.tip.append(f"{name}: {', '.join(filter(None, facts))}")
        nic.kind = "down" if down else nic.kind
    nic.lines.append(Line(device["bus_id"] if device else "place not known", "t4"))
    nic.devices = [device] if device else []
    nic.tip += list(map(link_text, nic.devices))
    return nic


def _switch(devices: list[Json], below: list[Part]) -> Part:
    one = len(devices) == 1
    lines = [Line("PCI switch" if one else counted(len(devices), "PCI switch")),
             Line(devices[0]["bus_id"] if one else "in a chain", "t4")]
    return Part("switch", lines, list(map(link_text, devices)), devices, below=below)


def _device(device: Json, above: list[Json]) -> Part | None:
    """`above`: switches that have nothing else below them, the highest first."""
    gpu, ports = device.get("gpu", {}), [p for p in device.get("ports", []) if "node" in p]
    if "node" in gpu or ports:
        end = _gpu(device) if "node" in gpu else _nic(ports, device)
        return _switch(above, [end]) if above else end
    children = [child for child in device.get("children", []) if _leads_to_a_device(child)]
    if len(children) == 1:
        return _device(children[0], [*above, device])
    if not children:
        return None
    switch = _switch([device], _below(children))
    return _switch(above, [switch]) if above else switch


def _leads_to_a_device(device: Json) -> bool:
    ends = [device.get("gpu", {}), *device.get("ports", [])]
    return (any("node" in end for end in ends) or
            any(map(_leads_to_a_device, device.get("children", []))))


def _below(devices: list[Json]) -> list[Part]:
    return stacked([part for device in devices if (part := _device(device, []))])


def cpu_part(cpu: Json) -> Part:
    name = local_name(cpu["node"])
    model = cpu.get("model") or cpu.get("vendor") or cpu.get("arch") or "model not known"
    below = _below(cpu["devices"])
    if ports := [port for port in cpu.get("ports", []) if "node" in port]:
        below = stacked([*below, _nic(ports, None)])
    part = Part("cpu", [Line(name, "t2"), Line(model)], [name, model], node=cpu["node"],
                below=below)
    if cores := cpu.get("cores"):
        part.tip.append(f"cores {cores}")
        part.lines.append(Line(f"cores {cores}" if len(cores) <= 30 else core_count(cores)))
    return part
