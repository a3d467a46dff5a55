"""Who gets how much of the time: shares of blocks by weight, and some to spare for repetitions."""

from __future__ import annotations

import time
from collections.abc import Callable

from plan import Plan

SPARE_SHARE = 0.12  # for blocks within which the machine changed
END_SHARE = 0.04  # for the jobs' ends and the picture


class Schedule:
    """Starts when it is made. `now` yields seconds."""

    def __init__(self, plan: Plan, now: Callable[[], float] = time.monotonic) -> None:
        self._plan, self._now = plan, now
        self._start = now()
        self._spare_s = plan.seconds * SPARE_SHARE

    @property
    def now(self) -> float:
        return self._now()

    @property
    def is_late(self) -> bool:
        """Whether nothing is left to share, as on a machine that is busy with other work."""
        return self.elapsed_s > self._plan.seconds * (1 - END_SHARE)

    @property
    def elapsed_s(self) -> float:
        return self._now() - self._start

    def until(self, index: int) -> float:
        """When block `index` must end: its share, by weight, of the time that is left."""
        now = self._now()
        end = self._start + self._plan.seconds * (1 - END_SHARE) - self._spare_s
        weights = [block.weight for block in self._plan.blocks[index:]]
        return now + max(0.0, end - now) * weights[0] / sum(weights)

    def may_repeat(self, took_s: float) -> bool:
        """Whether what took so long may be done once more; the time is then spent."""
        if took_s > self._spare_s:
            return False
        self._spare_s -= took_s
        return True
