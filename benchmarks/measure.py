"""Measures one block: all its cases on all competitors in turns, until its time is up."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cells import Case, Cell
from fleet import Fleet
from jobs import Job, JobLost
from machine import Machine, has_changed
from plan import Block, Plan
from schedule import Schedule

WINDOW_US = 1000.0  # short beside a scheduler's tick of some milliseconds
LONG_US = 4000.0  # windows of this length come one in a round, shorter ones in threes
WINDOWS = 3
MOST_ITERS = 20_000
TRIAL_US = 200.0
HURRIED_ROUNDS = 2  # a run that is late ends all the same, without intervals
WARMUP_SHARE = 4  # a window's calls over those before it: others have used the caches since


@dataclass
class Attempt:
    """The cells of a block and the probes around it."""

    cells: list[Cell]
    before: dict[str, float]
    after: dict[str, float]

    @property
    def steady(self) -> bool:
        return not has_changed(self.before, self.after)


def request_of(case: Case, iters: int = 1, windows: int = 1, **more: Any) -> dict[str, Any]:
    request = {"collective": case.collective, "bytes": case.bytes, "placement": case.placement,
               "cold": case.cold, "verify": False, "loop": "harness", "iters": iters,
               "warmup": max(1, iters // WARMUP_SHARE), "windows": windows}
    return request | more


def windows_us(answers: list[dict[str, Any]]) -> list[float]:
    """The slowest rank's time of each window: a collective ends when its last rank does."""
    return [max(times) for times in zip(*(a["window_us"] for a in answers), strict=True)]


def _iters(target_us: float, time_us: float) -> int:
    return max(1, min(MOST_ITERS, round(target_us / max(time_us, 1e-3))))


def calibrated(job: Job, case: Case, competitor: str, block: int) -> Cell | None:
    """An empty cell with its data verified and its window's length chosen; None where the size is
    too small for so many ranks. Cold cases move the same data as warm ones."""
    answers = job.ask(request_of(case, verify=not case.cold))
    if answers[0]["count"] == 0:
        return None
    first_us = windows_us(answers)[0]
    trial = request_of(case, _iters(TRIAL_US, first_us), WINDOWS if first_us < LONG_US else 1)
    second = job.ask(trial)
    time_us = min(windows_us(second))  # of several: one may have lost its core for a while
    cell = Cell(case, competitor, block, iters=_iters(WINDOW_US, time_us))
    cell.wrong = None if case.cold else sum(answer["wrong"] for answer in answers)
    cell.windows = WINDOWS if cell.iters * time_us < LONG_US else 1
    cell.transport = second[0]["transport"]
    return cell


class BlockRun:
    """One block on the jobs that are alive; who is lost is left out from then on."""

    def __init__(self, block: Block, number: int, fleet: Fleet) -> None:
        self.block, self.number, self.fleet, self.jobs = block, number, fleet, fleet.jobs
        self._cells: dict[Case, dict[str, Cell]] = {}

    def _try(self, competitor: str, call: Callable[[Job], Any]) -> Any:
        try:
            return call(self.jobs[competitor])
        except JobLost as problem:
            self.fleet.lose(competitor, str(problem))
            return None

    def _prepare(self) -> None:
        """Empty cells: calibrated the first time, and the same for a repetition."""
        for of_case in self._cells.values():
            for cell in of_case.values():
                cell.rounds_us.clear()
        for case in () if self._cells else self.block.cases:
            for key in list(self.jobs):
                cell = self._try(key, lambda job, k=key, c=case: calibrated(job, c, k, self.number))
                if cell is not None:
                    self._cells.setdefault(case, {})[key] = cell

    def _round(self, number: int) -> None:
        """Everybody once for each case, each time in another order: who goes before leaves the
        caches and the host as they are."""
        order = random.Random(number)
        for case, of_case in self._cells.items():
            keys = [key for key in of_case if key in self.jobs]
            for key in order.sample(keys, len(keys)):
                cell = of_case[key]
                request = request_of(case, cell.iters, cell.windows)
                answers = self._try(key, lambda job, r=request: job.ask(r))
                if answers is not None:
                    cell.rounds_us.append(windows_us(answers))

    def attempt(self, machine: Machine, plan: Plan, schedule: Schedule) -> Attempt:
        before = machine.probe(self.block.nranks)
        until = schedule.until(self.number)
        self._prepare()
        for number in range(plan.most_rounds):
            least = HURRIED_ROUNDS if schedule.is_late else plan.least_rounds
            if number >= least and schedule.now > until:
                break
            self._round(number)
        kept = [c for of_case in self._cells.values() for k, c in of_case.items() if k in self.jobs]
        return Attempt(kept, before, machine.probe(self.block.nranks))
