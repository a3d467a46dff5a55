"""Cases of a side, and the figure of each: that of its run, or the median of its repetitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import NamedTuple

from expected import VERDICTS, Expectation
from records import Result, Run
from units import format_bytes, format_collective


class Trait(NamedTuple):
    """What a curve is of: all of a case but its size and placement."""

    collective: str
    type: str
    redop: str
    root: int
    group: int

    def words(self) -> dict[str, str]:
        """How each part is said; empty where there is nothing to say."""
        return {
            "collective": format_collective(self.collective),
            "type": self.type,
            "redop": "" if self.redop == "none" else self.redop,
            "root": "" if self.root < 0 else f"root {self.root}",
            "group": f"group {self.group}",
        }


class Case(NamedTuple):
    trait: Trait
    bytes: int
    placement: str

    @property
    def where(self) -> str:
        return f"{format_bytes(self.bytes)}, {self.placement}"


@dataclass(frozen=True)
class Figure:
    """The results of one case, one from each run: all that a page says of them comes from here.

    The numbers are those of the timed window, as in the console table."""

    case: Case
    results: tuple[Result, ...]

    @cached_property
    def time_us(self) -> float:
        return median(r.time_us for r in self.results)

    @cached_property
    def algbw_gbps(self) -> float:
        return median(r.algbw_gbps for r in self.results)

    @cached_property
    def busbw_gbps(self) -> float:
        return median(r.busbw_gbps for r in self.results)

    @property
    def bus_bytes(self) -> float:
        """What the bus moves: busbw x time."""
        return self.results[0].busbw_gbps * self.results[0].time_us * 1e3

    @property
    def repeats(self) -> int:
        return len(self.results)

    @cached_property
    def middle(self) -> Result:
        """The run whose time is the median, the slower of two: judged for all of them."""
        return sorted(self.results, key=lambda r: r.time_us)[len(self.results) // 2]

    @property
    def expected(self) -> Expectation | None:
        return self.middle.expected

    @cached_property
    def verdict(self) -> str:
        """That of most runs, of equally many the worse; empty where nothing was expected."""
        counts = Counter(r.expected.verdict for r in self.results if r.expected)
        ranks = {word: rank for rank, word in enumerate(VERDICTS)}
        return min(counts, key=lambda v: (-counts[v], ranks.get(v, -1)), default="")

    def count(self, verdict: str) -> int:
        return sum(r.expected is not None and r.expected.verdict == verdict for r in self.results)

    @property
    def wrong(self) -> int | None:
        checked = [r.wrong for r in self.results if r.wrong is not None]
        return sum(checked) if checked else None


def case_of(result: Result) -> Case:
    trait = Trait(result.collective, result.type, result.redop, result.root, result.group)
    return Case(trait, result.bytes, result.placement)


def is_collective(result: Result) -> bool:
    return result.pair is None and result.copy is None


def figures_of(runs: Iterable[Run]) -> dict[Case, Figure]:
    """In the order of measurement. Pairs and copies are matrices, not cases."""
    grouped: dict[Case, list[Result]] = {}
    for run in runs:
        for result in filter(is_collective, run.results):
            grouped.setdefault(case_of(result), []).append(result)
    return {case: Figure(case, tuple(results)) for case, results in grouped.items()}
