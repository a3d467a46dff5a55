"""What changed, in sentences: each side against the first that measured the same."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from ask_compare import Ask
from changes import Change, Comparison, percent
from overview import change_overview_of
from sides import Side
from tables import Table
from units import plural


@dataclass(frozen=True)
class Changed:
    """Another side against the first. The overview is of several collectives."""

    label: str
    sentences: list[str]
    overview: Table | None = None


def _named(change: Change) -> str:
    return f"{percent(change.ratio)} ({change.case.trait.collective}, {change.case.where})"


def sentences_of(comparison: Comparison) -> list[str]:
    changes = comparison.changes
    middle = median(change.ratio for change in changes)
    slowest, fastest = (f(changes, key=lambda c: c.ratio) for f in (min, max))
    sentences = [
        f"Speed against {comparison.base.label}: {percent(middle)} in the median of "
        f"{plural(len(changes), 'result')} that both have; from {_named(slowest)} "
        f"to {_named(fastest)}."
    ]
    touched = [c for c in changes if c.base.middle.touched_bytes != c.other.middle.touched_bytes]
    if touched:
        sentences.append(f"In {plural(len(touched), 'result')} the calls touched other amounts of "
                         "memory (-e, --buffers), which decide what stays in caches: these are "
                         "different measurements.")
    return sentences + comparison.verdicts.sentences


def _collectives(side: Side) -> set[str]:
    return {result.collective for result in side.results}


def changed_of(sides: list[Side], comparisons: list[Comparison], ask: Ask) -> list[Changed]:
    """Of pairs and copies, which are no figures, only what linerate compare says."""
    found = [Changed(c.other.label, sentences_of(c), change_overview_of(c)) for c in comparisons]
    others = [side for side in sides if not side.figures]
    for index, other in enumerate(others):
        base = next((side for side in others[:index]
                     if _collectives(side) & _collectives(other)), None)
        if base:
            found.append(Changed(other.label, ask(base, other).sentences))
    return found
