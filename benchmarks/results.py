"""All that a run has measured, read back from its JSON Lines: what every report starts from."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from statistics import mean
from typing import Any

from cells import Case, Cell, cell_of
from competitors import COMPETITORS
from floors import Limits
from ratios import Estimate, ratio_of_medians

SCHEMA = 1
OURS = tuple(c.key for c in COMPETITORS if c.ours)


class Results:
    """Cells by case and competitor, and the lines about the run and the machine."""

    def __init__(self, lines: Iterable[dict[str, Any]] = ()) -> None:
        self.info: dict[str, Any] = {}
        self.end: dict[str, Any] = {}
        self.limits: list[dict[str, Any]] = []
        self.overheads: list[dict[str, Any]] = []
        self.versions: dict[str, str] = {}
        self.lost: dict[str, str] = {}
        self.blocks: dict[int, dict[str, Any]] = {}
        self.cells: dict[Case, dict[str, Cell]] = {}
        for line in lines:
            self.add(line)

    @staticmethod
    def read(path: Path) -> Results:
        return Results(json.loads(text) for text in path.read_text().splitlines())

    def add(self, line: dict[str, Any]) -> None:
        kind = line["kind"]
        if kind == "cell":
            cell = cell_of(line)
            self.cells.setdefault(cell.case, {})[cell.competitor] = cell
        elif kind == "run":
            self.info = line
        elif kind == "end":
            self.end = line
        elif kind == "limits":
            self.limits.append(line)
        elif kind == "overhead":
            self.overheads.append(line)
        elif kind == "competitor":
            self.versions[line["competitor"]] = line["version"]
        elif kind == "lost":
            self.lost[line["competitor"]] = line["reason"]
        elif kind == "block":
            self.blocks[line["block"]] = line

    def cases(self, **wanted: Any) -> list[Case]:
        """In order; those whose fields have the values `wanted`."""
        return sorted(case for case in self.cells
                      if all(getattr(case, key) == value for key, value in wanted.items()))

    def best_peer(self, case: Case) -> Cell | None:
        """The competitor with the lowest median; those with wrong data do not count."""
        peers = [cell for key, cell in self.cells[case].items() if key not in OURS]
        return min((p for p in peers if not p.wrong), key=lambda p: p.median_us, default=None)

    def ratio(self, case: Case, ours: str) -> Estimate | None:
        """The best peer's median over ours; None where one of the two is not here or is wrong."""
        mine, peer = self.cells[case].get(ours), self.best_peer(case)
        if mine is None or peer is None or mine.wrong:
            return None
        return ratio_of_medians(peer.round_medians_us, mine.round_medians_us)

    def limits_at(self, cell: Cell) -> Limits | None:
        """What memory did around the block of this cell; None where the machine changed within."""
        block = self.blocks.get(cell.block)
        if block is None or not block["steady"]:
            return None
        probes = (block["before"], block["after"])
        return Limits(mean(p["nt_write_gbps"] for p in probes),
                      mean(p["nt_copy_gbps"] for p in probes))
