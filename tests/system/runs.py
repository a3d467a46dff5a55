"""Made-up runs in linerate's JSON Lines, for tests of what reads them: a line model plus noise."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Line = dict[str, Any]
PLACEMENTS = ("out_of_place", "in_place")


@dataclass(frozen=True)
class MadeUp:
    """A run on a link of `latency_us` and `gbps`. Fixed seed: the same run every time."""

    run_id: str = "r1"
    collective: str = "all_reduce"
    backend: str = "host"
    nranks: int = 2
    types: tuple[str, ...] = ("float",)
    ops: tuple[str, ...] = ("sum",)
    groups: int = 1
    sizes: tuple[int, ...] = tuple(8 << k for k in range(24))
    latency_us: float = 3.0
    gbps: float = 12.0
    noise: float = 0.04
    samples: bool = True
    finished: bool = True

    def run_line(self) -> Line:
        ranks = [
            {"rank": r, "group": 0, "pid": 100 + r, "hostname": "node01", "node": 0, "device": r}
            for r in range(self.nranks)
        ]
        return {
            "kind": "run",
            "schema": 1,
            "run_id": self.run_id,
            "start_time": "2024-05-01T10:00:00Z",
            "version": "0.1.0",
            "program": f"{self.collective}_perf",
            "args": [f"{self.collective}_perf", "-b", "8", "-e", "64M", "-f", "2"],
            "environment": ["NCCL_DEBUG=INFO", "OMP_NUM_THREADS=<1 & 2>"],
            "backend": self.backend,
            "nranks": self.nranks,
            "ngroups": self.groups,
            "settings": {"min_bytes": 8, "op": "sum"},
            "ranks": ranks,
            "timing": {"clock_cost_ns": 21.5, "barrier_cost_us": 0.4},
            "init_us": 812.25,
            "cpu_model": "A CPU",
            "ncores": 8,
        }

    def result_line(self, case: Line, group: int, time_us: float, spread: float) -> Line:
        factor = 2 * (self.nranks - 1) / self.nranks
        line: Line = {
            "kind": "result",
            "run_id": self.run_id,
            "case": case,
            "group": group,
            "nranks": self.nranks,
            "window": {"iters": 20, "agg": 1, "time_us": time_us},
            "algbw_gbps": case["bytes"] / time_us / 1e3,
            "busbw_gbps": case["bytes"] * factor / time_us / 1e3,
        }
        if self.samples:
            median = time_us * 1.02
            low, high = median * (1 - spread), median * (1 + spread)
            line["samples_us"] = {"n": 20, "batch": 1, "min": low * 0.95, "median": median}
            line["samples_us"] |= {"ci95_low": low, "ci95_high": high, "max": high * 1.3}
        return line | {"wrong": 0}

    def result_lines(self) -> list[Line]:
        noise = random.Random(7)
        lines = []
        for kind, op in ((kind, op) for kind in self.types for op in self.ops):
            for size in self.sizes:
                for placement in PLACEMENTS:
                    for group in range(self.groups):
                        case = {"collective": self.collective, "type": kind, "redop": op}
                        case |= {"root": -1, "placement": placement, "bytes": size}
                        case["count"] = size // 4
                        ideal = self.latency_us + size / self.gbps / 1e3
                        ideal *= 1 + 0.2 * group + 0.1 * (placement == "in_place")
                        time_us = ideal * noise.uniform(1 - self.noise, 1 + self.noise)
                        spread = self.noise * noise.uniform(0.5, 2)
                        lines.append(self.result_line(case, group, time_us, spread))
        return lines

    def lines(self) -> list[Line]:
        end = {"kind": "end", "run_id": self.run_id, "exit_code": 0, "failed_checks": 0}
        return [self.run_line(), *self.result_lines(), *([end] if self.finished else [])]


def pair_lines(nranks: int) -> list[Line]:
    """A p2p run: latency, one way and both ways, between every pair."""
    run = MadeUp(run_id="p", collective="p2p", nranks=nranks)
    lines = [run.run_line()]
    for kind, size in (("latency", 8), ("unidirectional", 1 << 26), ("bidirectional", 1 << 26)):
        pairs = [(a, b) for a in range(nranks) for b in range(nranks) if a != b]
        for a, b in pairs if kind == "unidirectional" else [(a, b) for a, b in pairs if a < b]:
            case = {"collective": f"p2p_{kind}", "type": "int8", "redop": "none", "root": -1}
            case |= {"placement": "out_of_place", "bytes": size, "count": size, "pair": [a, b]}
            time_us = (1 + size / 11e3) * (1 + 0.4 * (a // 4 != b // 4) + 0.01 * (a + b))
            lines.append(run.result_line(case, 0, time_us, 0.02))
    return [*lines, {"kind": "end", "run_id": "p", "exit_code": 0}]


def text_of(lines: list[Line]) -> str:
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def write_run(path: Path, lines: list[Line]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(lines), encoding="utf-8")
    return path
