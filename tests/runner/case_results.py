"""How the cases of one test program ended; a JSON file each, for the summary of a whole run."""

from __future__ import annotations

import json
import signal
from dataclasses import asdict, dataclass, field
from pathlib import Path

SKIPPED = 77  # the exit code by which ctest knows a skipped test


def take_interrupts() -> None:
    """A job in the background of a script starts with Ctrl-C ignored, and so would its tests."""
    signal.signal(signal.SIGINT, signal.default_int_handler)



@dataclass
class Results:
    """`failed` and `skipped` hold a sentence for each case: what went wrong, or the reason."""

    name: str
    passed: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    def exit_code(self) -> int:
        if self.failed:
            return 1
        return 0 if self.passed or not self.skipped else SKIPPED

    def line(self) -> str:
        return counts_text(self.passed, len(self.failed), len(self.skipped))

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.json").write_text(json.dumps(asdict(self)), encoding="utf-8")


def counts_text(passed: int, failed: int, skipped: int) -> str:
    return f"{passed} tests passed, {failed} failed, {skipped} skipped"


def read_all(folder: Path) -> list[Results]:
    files = sorted(folder.glob("*.json"))
    return [Results(**json.loads(file.read_text(encoding="utf-8"))) for file in files]
