"""Cases of a study that did not end well."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

MAX_PROBLEMS, MAX_TEXT = 200, 300


@dataclass(frozen=True)
class Problem:
    """Cases that did not end well, for the same reason."""

    outcome: str
    reason: str
    command: str  # of the first
    cases: int

    @property
    def mild(self) -> bool:
        return self.outcome == "slow"


class Problems:
    def __init__(self) -> None:
        self._first: dict[tuple[str, str], str] = {}  # a command by outcome and reason
        self._cases: Counter[tuple[str, str]] = Counter()

    def add(self, outcome: str, reason: str, command: str) -> None:
        key = outcome, reason[:MAX_TEXT]
        self._first.setdefault(key, _ends(command))
        self._cases[key] += 1

    def by_reason(self) -> list[Problem]:
        """Those that are not mild first, and the most frequent of both."""
        found = [Problem(*key, command, self._cases[key]) for key, command in self._first.items()]
        return sorted(found, key=lambda one: (one.mild, -one.cases))[:MAX_PROBLEMS]


def _ends(command: str) -> str:
    """A long one without its middle: it ends with the case."""
    third = MAX_TEXT // 3
    return (command if len(command) <= MAX_TEXT
            else f"{command[:third]} … {command[-2 * third:]}")
