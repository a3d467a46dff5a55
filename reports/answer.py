"""The answer of a page: is this as fast as it should be?"""

from __future__ import annotations

from dataclasses import dataclass

from cases import Figure
from copies import copy_tests_of
from expected import verdict_of
from pairs import matrices_of
from problems import NOTICE, Problem, ending_of, problems_of
from sentences import best_sentences, verdict_sentences
from sides import Side

# By state, the worst first: its mark, and the headline.
STATES = {
    "wrong": ("✖", "Wrong data: do not use these numbers."),
    "failed": ("✖", "The run did not reach its end."),
    "low": ("▼", "No: slower than it should be."),
    "above": ("▲", "Faster than it can be: the expectation or the measurement is wrong."),
    "unsure": ("?", "Not sure: something disturbed the measurement."),
    "ok": ("✔", "Yes: as fast as it should be."),
    "unknown": ("–", "Not judged: nothing is known of how fast this should be."),
}
MAX_TESTS = 12  # of copies that the answer names
MARKS = {"ok": "✔", "low": "▼", "above": "▲", "unsure": "?", "": ""}


@dataclass(frozen=True)
class Answer:
    """One side's. `state` is one of STATES; sentences follow the headline."""

    label: str
    state: str
    sentences: list[str]
    problems: list[Problem]

    @property
    def is_wrong(self) -> bool:
        """Whether problems say why, or stand beside results that are right."""
        return self.state != "ok" and any(p.severity != NOTICE for p in self.problems)

    @property
    def mark(self) -> str:
        return STATES[self.state][0]

    @property
    def headline(self) -> str:
        return STATES[self.state][1]


def _judged(side: Side) -> list[Figure]:
    return [figure for figure in side.figures.values() if figure.expected]


def _state(side: Side, judged: list[Figure]) -> str:
    words = {figure.verdict for figure in judged}
    words |= {r.expected.verdict for r in side.results if r.pair and r.expected}
    if len(side.runs) == 1 and side.first.end:
        words.add(verdict_of(side.first.end.get("verdict")))
        if side.first.end.get("verdict") == "unstable machine":  # beside results judged ok
            words.discard("unsure")
    if any(r.wrong for r in side.results):
        words.add("wrong")
    if any(ending_of(run) and (run.end or {}).get("exit_code") != 3 for run in side.runs):
        words.add("failed")
    return next((state for state in STATES if state in words), "unknown")


def _why_unknown(side: Side) -> str:
    """Which results have no expectation."""
    if all(r.copy for r in side.results):
        return "What copies should reach stands in the data sheets of links and memory."
    if all(r.pair for r in side.results):
        return "What pairs of ranks should reach is only known of emulated networks."
    if side.first.info.get("nranks") == 1:
        return "One rank alone sends nothing."
    return "No result says what it is expected to reach: --expect off, or nothing is known here."


def answer_of(side: Side) -> Answer:
    figures, judged = list(side.figures.values()), _judged(side)
    state = _state(side, judged)
    sentences = [_why_unknown(side)] if state == "unknown" else []
    sentences += verdict_sentences(judged, len(figures)) + best_sentences(figures)
    sentences += [f"{matrix.title}. {matrix.sentence}" for matrix in matrices_of([side])]
    sentences += [f"{test.name}: {test.sentence}." for test in copy_tests_of(side)[:MAX_TESTS]]
    return Answer(side.label, state, sentences, problems_of(side))
