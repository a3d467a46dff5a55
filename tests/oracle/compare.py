"""One version of NCCL beside linerate's model of it: rows compared, and those that differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import nccl
import own


def same(one: nccl.Choice, other: nccl.Choice) -> bool:
    """NCCL reckons in single precision, and prints two digits."""
    near = abs(one.time_us - other.time_us) <= 0.02 + 1e-3 * one.time_us
    return near and (one.algorithm, one.protocol, one.channels) == (
        other.algorithm, other.protocol, other.channels)


class Comparison:
    """Rows compared and differing, of one version."""

    def __init__(self, tag: str):
        self.tag, self.version = tag, nccl.version_of(tag)
        self.harness = nccl.harness_of(tag)
        self.rows = self.graphs = 0
        self.different: list[str] = []

    def compare(self, machine: Path, nodes: list[int], functions: tuple[str, ...],
                calls: nccl.Calls) -> None:
        theirs = {}
        for nnodes in nodes:
            dump = machine.with_suffix(f".{self.version}.{nnodes}.graphs")
            dumped = {**calls.variables, "NCCL_GRAPH_DUMP_FILE": str(dump)}
            theirs[nnodes] = nccl.found_by(self.harness, machine, nnodes,
                                           replace(calls, variables=dumped))
            if not calls.variables:
                self.graphs += 1
                self.note(own.different_channels(machine, self.version, dump), machine, nnodes)
        for function in functions:
            ours = own.predicted(machine, self.version, nodes, function, calls)
            for nnodes, found in theirs.items():
                where = f"{machine.stem} x {nnodes} {function} {calls}"
                self.compare_rows(found, function, ours, (nnodes, where))

    def compare_rows(self, found: nccl.Found, function: str, ours: dict | None,
                     at: tuple[int, str]) -> None:
        nnodes, where = at
        rows = {size: row for (name, size), row in found.rows.items() if name == function}
        if found.refused or all(row.algorithm is None for row in rows.values()):
            self.rows += 1
            if ours is not None:
                self.different.append(f"{where}: NCCL ends with an error, linerate does not")
            return
        self.rows += len(rows)
        for size, row in rows.items():
            if ours is None or not same(row, ours[nnodes, size]):
                mine = "an error" if ours is None else ours[nnodes, size]
                self.different.append(f"{where} {size}: {row}, linerate: {mine}")

    def note(self, text: str, machine: Path, nnodes: int) -> None:
        if text:
            self.different.append(f"{machine.stem} x {nnodes} channels: {text}")
