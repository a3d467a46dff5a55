"""Cases of a study that did not end well."""

from __future__ import annotations

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
        self._commands: dict[tuple[str, str], list[str]] = {}  # by outcome and reason

    def add(self, outcome: str, reason: str, command: str) -> None:
        self._commands.setdefault((outcome, reason[:MAX_TEXT]), []).append(command)

    def by_reason(self) -> list[Problem]:
        """Those that are not mild first, and the most frequent of both."""
        found = [Problem(outcome, reason, _ends(commands[0]), len(commands))
                 for (outcome, reason), commands in self._commands.items()]
        return sorted(found, key=lambda one: (one.mild, -one.cases))[:MAX_PROBLEMS]


def _ends(command: str) -> str:
    """A long one without its middle: it ends with the case."""
    third = MAX_TEXT // 3
    return (command if len(command) <= MAX_TEXT
            else f"{command[:third]} … {command[-2 * third:]}")
