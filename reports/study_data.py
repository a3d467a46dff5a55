"""What a study knows: times by what was called and how it was set."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from study_problems import Problem
from units import format_bytes, format_collective, plural

NOTHING_SET = "nothing set"
Settings = tuple[tuple[str, str], ...]  # names and values, those that a case did not set left out


class What(NamedTuple):
    """What was called, among whom."""

    collective: str
    type: str
    redop: str
    root: int
    placement: str
    bytes: int
    nranks: int
    nnodes: int

    @property
    def words(self) -> str:
        placement = " in place" if self.placement == "in_place" else ""
        op = f" {self.redop}" if self.redop not in ("", "none", "sum") else ""
        return (f"{format_collective(self.collective)}{op} {self.type}{placement}, "
                f"{format_bytes(self.bytes)}, {self.ranks}")

    @property
    def ranks(self) -> str:
        return (f"{self.nnodes}x{self.nranks // self.nnodes} ranks" if self.nnodes > 1
                else plural(self.nranks, "rank"))


class Point(NamedTuple):
    """One run's figure of a call."""

    run: int
    when: str
    time_us: float
    busbw_gbps: float


@dataclass
class Study:
    """Of one file."""

    name: str
    outcomes: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)  # those that are not mild first
    facts: dict[str, set[str]] = field(default_factory=dict)
    settings: list[Settings] = field(default_factory=list)
    # For each call the runs by the index of their settings.
    points: dict[What, dict[int, list[Point]]] = field(default_factory=dict)
    nresults: int = 0
    pair_records: list[str] = field(default_factory=list)  # JSON Lines of cases of p2p_perf

    @property
    def bad(self) -> int:
        return self.outcomes.total() - self.outcomes["ok"]

    @cached_property
    def common(self) -> set[tuple[str, str]]:
        """What all settings share."""
        return set.intersection(*map(set, self.settings)) if len(self.settings) > 1 else set()

    def words(self, index: int) -> str:
        """What tells these settings from others."""
        return ", ".join(f"{name}={value}" for name, value in self.settings[index]
                         if (name, value) not in self.common) or NOTHING_SET
