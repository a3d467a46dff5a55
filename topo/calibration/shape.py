"""What a run was made on, as far as it tells what to expect of others."""

from __future__ import annotations

from dataclasses import dataclass

# Runs support those of jobs whose numbers differ by no more than this factor.
NEAR = {"gpus": 1.25, "nodes": 2, "ring_gbps": 1.25}


@dataclass(frozen=True, order=True)
class Shape:
    """As PublishedRow of forecast_table.h, which has the same factors."""

    machine: str
    gpus: int  # of a node
    nodes: int
    ring_gbps: float
    collective: str

    def near(self, other: Shape) -> bool:
        if (self.machine, self.collective) != (other.machine, other.collective):
            return False
        if (self.nodes == 1) != (other.nodes == 1):
            return False
        return all(1 / factor <= getattr(self, name) / getattr(other, name) <= factor
                   for name, factor in NEAR.items())
