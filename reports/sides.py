"""Sorts runs into sides: what a page tells apart, and compares. Repetitions are one side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cases import Case, Figure, figures_of
from labels import command_of, labels_of, setup_of
from records import Result, Run


@dataclass(frozen=True)
class Side:
    """Runs of one kind: a run alone, the repetitions of one, or a suite of collectives."""

    label: str
    runs: tuple[Run, ...]

    @cached_property
    def figures(self) -> dict[Case, Figure]:
        return figures_of(self.runs)

    @property
    def repeats(self) -> int:
        return max((figure.repeats for figure in self.figures.values()), default=1)

    @property
    def results(self) -> list[Result]:
        return [result for run in self.runs for result in run.results]

    @property
    def first(self) -> Run:
        return self.runs[0]


def _collectives(run: Run) -> set[str]:
    return {r.collective for r in run.results}


def _belongs(run: Run, side: list[Run]) -> bool:
    """To the side: repeats one of its runs, or measures other collectives in the same setup."""
    first = side[0]
    if run.name or first.name:
        return run.name == first.name
    same_file, study = run.path == first.path, run.info.get("study")
    together = same_file or (study and study == first.info.get("study"))
    if not together or setup_of(run) != setup_of(first):
        return False
    if any(command_of(run) == command_of(other) for other in side):
        return run.info.get("environment") == first.info.get("environment")
    return same_file and not any(_collectives(run) & _collectives(other) for other in side)


def _grouped(runs: list[Run]) -> list[list[Run]]:
    sides: list[list[Run]] = []
    for run in runs:
        home = next((side for side in sides if _belongs(run, side)), None)
        if home is None:
            sides.append([run])
        else:
            home.append(run)
    return sides


def sides_of(runs: list[Run]) -> list[Side]:
    """In the order of the files. The first is what the others are compared with."""
    grouped = _grouped(runs)
    labels = labels_of([side[0] for side in grouped])
    return [Side(label, tuple(side)) for label, side in zip(labels, grouped, strict=True)]
