"""What changed between two sides, case by case: the ratio of their bus bandwidths (or times).

It says what was measured. Whether a difference is real is for `linerate compare` to say, which
knows what runs differ by on their own."""

from __future__ import annotations

from dataclasses import dataclass

from ask_compare import Ask
from between_runs import Verdict, Verdicts
from cases import Case, Figure
from records import Result
from sides import Side
from units import significant


@dataclass(frozen=True)
class Change:
    """`other` against `base` in one case. Above 1: faster."""

    case: Case
    base: Figure
    other: Figure
    verdict: Verdict | None  # None where linerate compare has none

    def _against_base(self, of: Figure | Result) -> float:
        """By bus bandwidth, which compares numbers of ranks; by time where that is 0."""
        if self.base.busbw_gbps > 0 and self.other.busbw_gbps > 0:
            return of.busbw_gbps / self.base.busbw_gbps
        return self.base.time_us / of.time_us

    @property
    def ratio(self) -> float:
        return self._against_base(self.other)

    def range_of(self, figure: Figure) -> tuple[float, float]:
        """Slowest and fastest run of a side, against the base."""
        ratios = [self._against_base(result) for result in figure.results]
        return min(ratios), max(ratios)


@dataclass(frozen=True)
class Comparison:
    """One side against the first, in the cases that both have."""

    base: Side
    other: Side
    changes: list[Change]
    verdicts: Verdicts


def _comparison(base: Side, other: Side, ask: Ask) -> Comparison | None:
    shared = [case for case in base.figures if case in other.figures]
    if not shared:
        return None
    verdicts = ask(base, other)
    changes = [Change(case, base.figures[case], other.figures[case], verdicts.cases.get(case))
               for case in shared]
    return Comparison(base, other, changes, verdicts)


def comparisons_of(sides: list[Side], ask: Ask) -> list[Comparison]:
    """Of sides with figures, against the first of them."""
    measured = [side for side in sides if side.figures]
    found = [_comparison(measured[0], other, ask) for other in measured[1:]]
    return [comparison for comparison in found if comparison]


def percent(ratio: float) -> str:
    """1.25: +25 %; 0.9: -10 %."""
    value = 100 * (ratio - 1)
    if value >= 900:
        return f"x{significant(ratio)}"
    text = f"{abs(value):.{1 if abs(value) < 9.95 else 0}f}"
    return f"{'' if text == '0.0' else '+' if value > 0 else '−'}{text} %"
