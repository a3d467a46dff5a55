"""All that a page says, for the templates of HTML and Markdown."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from answer import Answer, answer_of
from ask_compare import Ask, asker
from changed import Changed, changed_of
from changes import Comparison, comparisons_of
from copies import CopyTest, copy_tests_of
from drawings import Drawings, drawings_of
from facts import Facts, differences_of, facts_of
from heading import Heading, heading_of
from lateness import LateRank, calls_table, late_ranks, late_sentence
from matrices import Matrix
from overview import overview_of, side_by_side
from pairs import matrices_of
from records import Run
from results import results_table
from sides import Side, sides_of
from tables import Table


@dataclass(frozen=True)
class Details:
    """What a side's own sections say."""

    label: str
    overview: Table | None
    results: Table | None
    calls: Table | None
    late: list[LateRank]
    copies: list[CopyTest]
    repeats: int

    @property
    def late_sentence(self) -> str:
        return late_sentence(self.late)


def _details(side: Side) -> Details:
    return Details(
        side.label, overview_of(side), results_table(side.figures) if side.figures else None,
        calls_table(side), late_ranks(side), copy_tests_of(side), side.repeats,
    )


@dataclass
class Contents:
    """Of some runs. Copies are a side of their own: they have no ranks to compare."""

    runs: list[Run]
    title: str = ""
    ask: Ask = asker("")
    sides: list[Side] = field(init=False)
    comparisons: list[Comparison] = field(init=False)

    def __post_init__(self) -> None:
        self.sides = sides_of(self.runs)
        self.comparisons = comparisons_of(self.sides, self.ask)

    @cached_property
    def answers(self) -> list[Answer]:
        return [answer_of(side) for side in self.sides]

    @cached_property
    def heading(self) -> Heading:
        return heading_of(self.runs, self.sides, self.title, self.answers)

    @cached_property
    def expects(self) -> bool:
        return any(f.expected for side in self.sides for f in side.figures.values())

    @cached_property
    def changed(self) -> list[Changed]:
        return changed_of(self.sides, self.comparisons, self.ask)

    @cached_property
    def compared(self) -> Table | None:
        """All sides beside each other."""
        measured = [side for side in self.sides if side.figures]
        return side_by_side(measured, self.comparisons) if self.comparisons else None

    @cached_property
    def details(self) -> list[Details]:
        return [_details(side) for side in self.sides]

    @cached_property
    def matrices(self) -> list[Matrix]:
        return matrices_of(self.sides)

    @cached_property
    def drawings(self) -> Drawings:
        return drawings_of(self.sides, self.comparisons, self.matrices)

    @cached_property
    def facts(self) -> list[Facts]:
        return [facts_of(side) for side in self.sides]

    @cached_property
    def differences(self) -> list[tuple[str, list[str]]]:
        return differences_of(self.sides) if len(self.sides) > 1 else []
