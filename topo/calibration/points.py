"""Published figures, each beside what the program says of NCCL's model for it."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shape import Shape

HERE = Path(__file__).resolve().parent
MACHINES = {"dgx-a100": "ampere", "azure-ndv4": "ampere", "aws-p4d": "ampere",
               "dgx-h100": "hopper", "hgx-h200": "hopper", "azure-ndv5": "hopper",
               "aws-p5": "hopper", "dgx-b200": "blackwell", "dgx-b300": "blackwell",
               "gb200-nvl72": "blackwell_rack", "gb300-nvl72": "blackwell_rack"}
SCALES = ("one", "several")
MOST_NODES = {"NVLSTree": 3}  # with two, each NIC sends or receives only; other ways: 2
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
MORE_CTAS = 2 << 30  # from here on NVLS has more of them on one node of 8 B200
BANDS = ((64 << 10, "64 KiB to 1 MiB"), (1 << 20, "1 to 64 MiB"), (64 << 20, "64 MiB to 1 GiB"),
         (1 << 30, "from 1 GiB"))


@dataclass(frozen=True)
class Point:
    """One published figure; `row` is the program's of the same size, `table` the published one."""

    table: dict[str, Any] = field(repr=False)
    row: dict[str, Any] = field(repr=False)
    size: int
    busbw_gbps: float

    @property
    def machine(self) -> str:
        return MACHINES[self.table["platform"]]

    @property
    def healthy(self) -> bool:
        return self.table["state"] == "healthy"

    @property
    def scale(self) -> int:
        return 0 if self.table["nodes"] == 1 else 1

    @property
    def parts(self) -> dict[str, Any]:
        return self.row["parts"]

    @property
    def protocol(self) -> str:
        return self.parts["protocol"] if self.sends else self.row["protocol"]

    @property
    def sends(self) -> bool:
        return "bound_busbw_gbps" in self.row

    @property
    def band(self) -> int:
        return max(n for n, (least, _) in enumerate(BANDS) if self.size >= least)

    @property
    def time_us(self) -> float:
        kind = "bound" if self.sends else "ncclmodel"
        return self.row[f"{kind}_busbw_gbps"] * self.row[f"{kind}_time_us"] / self.busbw_gbps

    @property
    def shape(self) -> Shape:
        nodes = self.table["nodes"]
        return Shape(self.machine, self.row["nranks"] // nodes, nodes,
                     round(self.parts["ring_gbps"], 1), self.table["collective"])

    @property
    def ring(self) -> bool:
        """Whether its efficiency is that of rings of its generation."""
        return not self.sends and self.row["algorithm"] == "Ring" and self.protocol == "Simple"

    @property
    def way(self) -> str:
        """The efficiency that it shows; the number behind @: on so many nodes, or more."""
        if self.sends:
            return f"sends/{SCALES[self.scale]}"
        if self.protocol != "Simple":
            return self.protocol
        algorithm, nodes = self.row["algorithm"], self.table["nodes"]
        if algorithm == "NVLS" and self.machine == "blackwell" and self.size >= MORE_CTAS:
            algorithm += "+"
        return f"{algorithm}@{min(nodes, MOST_NODES.get(algorithm, 2))}"


def size_of(text: str) -> int:
    return int(text[:-1]) * UNITS[text[-1]]


def predicted(program: Path, table: dict[str, Any]) -> list[dict[str, Any]]:
    sizes = [size_of(size) for size in table["busbw_gbps"]]
    version = ".".join(table["nccl"].split(".")[:3])
    words = ["--platform", table["platform"], "--nccl", version, "--nodes", str(table["nodes"]),
             "--predict", table["collective"], "-b", str(min(sizes)), "-e", str(max(sizes)),
             "-f", "2", "-d", table.get("type", "float"), "--json"]
    done = subprocess.run([program, "topo", *words], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["rows"]


def published() -> list[dict[str, Any]]:
    return json.loads((HERE / "published.json").read_text())["tables"]


def points(program: Path) -> list[Point]:
    found = []
    for table in published():
        rows = predicted(program, table)
        for text, busbw in table["busbw_gbps"].items():
            size = size_of(text)
            row = min(rows, key=lambda row: abs(row["bytes"] - size))
            found.append(Point(table, row, size, busbw))
    return found
