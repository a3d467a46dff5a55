"""Runs a plan: starts the competitors, measures its blocks, and writes every line at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cells import line_of
from competitors import COMPETITORS, Competitor
from fleet import Fleet
from machine import Machine, describe, last_level_cache_bytes
from measure import BlockRun
from overhead import overhead_line
from plan import Block, Plan
from results import SCHEMA, Results
from schedule import Schedule

POOL_OVER_CACHE = 2  # cold calls rotate over this many times the last cache, all ranks together
SLACK_BYTES = 64 << 10  # each slot begins on a page and a line of its own
ATTEMPTS = 3


class Driver:
    """`say` gets sentences while it runs; `report` each block once it is in the results."""

    def __init__(self, plan: Plan, build: Path, lines: Path, say: Callable[[str], None]) -> None:
        self.plan, self.build, self.say = plan, build, say
        self.results = Results()
        self._file = lines.open("w", encoding="utf-8")
        self._schedule = Schedule(plan)

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n")
        self._file.flush()
        self.results.add(line)
        if line["kind"] == "lost":
            self.say(f"{line['competitor']} is left out: {line['reason']}")

    def run(self, chosen: list[Competitor], report: Callable[[Block], None]) -> None:
        pools = {str(n): 2 * n * self._buffer_bytes(n) for n in self._ranks()}
        self._write({"kind": "run", "schema": SCHEMA, **describe(), "pool_bytes": pools})
        machine = Machine(self.build, self.plan.array_bytes)
        try:
            self._write_limits(machine, "start")
            self._measure_one_rank()
            for nranks in self._ranks():
                self._measure_group(nranks, chosen, machine, report)
            self._write_limits(machine, "end")
            self._write({"kind": "end", "took_s": round(self._schedule.elapsed_s, 1)})
        finally:
            machine.close()
            self._file.close()

    def _ranks(self) -> list[int]:
        return sorted({block.nranks for block in self.plan.blocks})

    def _write_limits(self, machine: Machine, when: str) -> None:
        for nranks in self._ranks():
            self._write({"kind": "limits", "when": when, "nthreads": nranks,
                         **machine.limits(nranks)})

    def _buffer_bytes(self, nranks: int) -> int:
        """For cold calls two slots of the largest size at least, and a pool that no cache holds."""
        blocks = [block for block in self.plan.blocks if block.nranks == nranks]
        largest = max(max(block.sizes) for block in blocks)
        if not any(block.cold for block in blocks):
            return largest + SLACK_BYTES
        pool = min(POOL_OVER_CACHE * last_level_cache_bytes(), self.plan.pool_bytes)
        return max(2 * largest, pool // (2 * nranks)) + SLACK_BYTES

    def _fleet(self, chosen: list[Competitor]) -> Fleet:
        present = [c for c in chosen if c.key not in self.results.lost]
        return Fleet(present, self.build, self._write)

    def _measure_one_rank(self) -> None:
        fleet = self._fleet([COMPETITORS[0]])
        fleet.start(1, SLACK_BYTES)
        for job in fleet.jobs.values():
            self._write(overhead_line(job, 1))
        fleet.close()

    def _measure_group(self, nranks: int, chosen: list[Competitor], machine: Machine,
                       report: Callable[[Block], None]) -> None:
        """All blocks of so many ranks, on jobs that live as long."""
        fleet = self._fleet(chosen)
        fleet.start(nranks, self._buffer_bytes(nranks))
        try:
            if nranks == 2 and "threads" in fleet.jobs:
                self._write(overhead_line(fleet.jobs["threads"], nranks))
            for index, block in enumerate(self.plan.blocks):
                if block.nranks == nranks:
                    self._measure(index, fleet, machine)
                    report(block)
        finally:
            fleet.close()

    def _measure(self, index: int, fleet: Fleet, machine: Machine) -> None:
        """Repeats a block within which the machine changed, as long as there is time to spare."""
        block = self.plan.blocks[index]
        run = BlockRun(block, index, fleet)
        for left in reversed(range(ATTEMPTS)):
            start_s = self._schedule.elapsed_s
            attempt = run.attempt(machine, self.plan, self._schedule)
            took_s = self._schedule.elapsed_s - start_s
            if attempt.steady or not left or not self._schedule.may_repeat(took_s):
                break
            self.say(f"{block.title}: the machine changed, {attempt.before} to {attempt.after}")
        for cell in attempt.cells:
            self._write(line_of(cell))
        self._write({"kind": "block", "block": index, "title": block.title,
                     "attempts": ATTEMPTS - left, "steady": attempt.steady,
                     "before": attempt.before, "after": attempt.after})
