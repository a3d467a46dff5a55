"""Machines as `linerate topo --json` prints them, made by hand, for tests of their picture."""

from __future__ import annotations

import random
from typing import Any

Json = dict[str, Any]
FAST = {"speed": "32.0 GT/s PCIe", "width": 16, "gbps": 48.0}
SLOW = {"speed": "16.0 GT/s PCIe", "width": 8, "gbps": 12.0}
SWITCH = "0x068000"  # PCI class of an NVSwitch
KINDS = {"GPU": "gpu", "CPU": "cpu"}


class Machine:
    """`add_*` yields a device to hang below another one or a processor."""

    def __init__(self, name: str = "made up") -> None:
        self.json: Json = {"kind": "topology", "schema": 1, "name": name, "source": "a test",
                           "nccl_version": "2.28", "cpus": [], "nodes": [], "links": [],
                           "paths": [], "unseen": []}
        self._buses = 0

    def cpu(self, devices: list[Json], **facts: Any) -> Json:
        name = f"CPU{len(self.json['cpus'])}"
        self._node(name, "CPU")
        for other in [c["node"] for c in self.json["cpus"]]:
            self.link(other, name, "SYS", 22)
            self.link(name, other, "SYS", 22)
        self.json["cpus"].append({"node": name, "numa": len(self.json["cpus"]),
                                  "devices": devices, **facts})
        return self.json["cpus"][-1]

    def switch(self, *children: Json, link: Json = FAST) -> Json:
        return self._device(link, children=list(children))

    def gpu(self, link: Json = FAST, **facts: Any) -> Json:
        name = f"GPU{self._count('GPU')}"
        self._node(name, "GPU")
        return self._device(link, gpu={"node": name, "sm": 90, **facts})

    def nic(self, *ports: Json, link: Json = FAST) -> Json:
        return self._device(link, ports=[self.port(**port) for port in ports or ({},)])

    def port(self, name: str = "", **facts: Any) -> Json:
        name = name or f"mlx5_{self._count('NET')}"
        self._node(name, "NET")
        return {"node": name, "nccl_takes": True, "speed_gbit_s": 400.0, **facts}

    def link(self, a: str, b: str, kind: str, gbps: float) -> None:
        self.json["links"].append({"from": a, "to": b, "kind": kind, "gbps": gbps})

    def _node(self, name: str, kind: str) -> None:
        self.json["nodes"].append({"name": name, "kind": kind, "host": 0})

    def _count(self, kind: str) -> int:
        return sum(node["kind"] == kind for node in self.json["nodes"])

    def _device(self, link: Json, **more: Any) -> Json:
        self._buses += 1
        best = {"max_link": FAST} if link is SLOW else {}
        return {"bus_id": f"0000:{self._buses:02x}:00.0", "link": link,
                "degraded": link is SLOW, **best, **more}


def worn_machine() -> Json:
    """A GPU that trained down behind a chain of switches, a NIC port that is down, one unplaced."""
    machine = Machine("worn")
    links = [{"target": "0000:c1:00.0", "target_class": SWITCH, "count": 17, "capacity": 18}]
    gpu = machine.gpu(SLOW, nvlinks=links)
    nic = machine.nic({}, {"state": "DOWN (Polling)", "nccl_takes": False})
    top = machine.switch(machine.switch(gpu), nic)
    eth = machine.port("eth9", speed_gbit_s=2.5, nccl_takes=False)
    machine.cpu([top], ports=[eth], model="Xeon", cores="0-7")
    machine.link("GPU0", "NVS0", "NVL", 350.2)
    return machine.json


def hostile_machine(text: str) -> Json:
    """Every text that a source may set is `text`."""
    machine = Machine(text)
    gpu = machine.gpu({"speed": text, "width": 16, "gbps": 12.0}, model=text)
    nic = machine.nic({"name": text, "state": text, "link_layer": text})
    machine.cpu([gpu, nic], model=text, cores=text)
    machine.json["unseen"] = [text]
    return machine.json


def mesh(gpus: int) -> Json:
    """GPUs with 6 NVLinks to each other."""
    machine = Machine("mesh")
    devices = [machine.gpu() for _ in range(gpus)]
    machine.cpu(devices)
    for a in devices:
        a["gpu"]["nvlinks"] = [{"target": b["bus_id"], "count": 6} for b in devices if b is not a]
        for b in (b for b in devices if b is not a):
            machine.link(a["gpu"]["node"], b["gpu"]["node"], "NVL", 123.6)
    return machine.json


def random_machine(seed: int) -> Json:
    """Trees of switches, mixed links, NICs of two ports; the same from the same seed."""
    machine, chance = Machine(f"seed {seed}"), random.Random(seed)

    def devices(depth: int) -> list[Json]:
        makers = [lambda: machine.gpu(chance.choice((FAST, SLOW))),
                  lambda: machine.nic(*[{}] * chance.randint(1, 2))]
        if depth < 3:
            makers.append(lambda: machine.switch(*devices(depth + 1)))
        return [chance.choice(makers)() for _ in range(chance.randint(1, 4))]
    for _ in range(chance.randint(1, 3)):
        machine.cpu(devices(0), cores="0-15", model="EPYC")
    return machine.json
