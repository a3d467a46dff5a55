"""One process of a GoogleTest program: which case each line belongs to, and how the case ended."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from case_results import SKIPPED, Results
from program import Ended, Program

BEGIN = re.compile(r"\[ RUN      \] (\S+)$")
END = re.compile(r"\[ +(OK|FAILED|SKIPPED) +\] ([^\s,]+).* \(\d+ ms\)$")
COUNT = re.compile(r"\[==========\] Running (\d+) tests? from ")
SHOWN = 60  # last lines of what a case that ended the program had printed


@dataclass
class Run:
    """Adds to `results`, and prints what failed alone."""

    results: Results
    limit_s: float  # for one case
    announced: int = 0
    done: set[str] = field(default_factory=set)
    _failed: bool = False
    _case: str = ""
    _block: list[str] = field(default_factory=list)

    def over(self, command: list[str]) -> None:
        """Until the program ends, or its case has taken too long."""
        program = Program(command)
        program.within(self.limit_s)
        try:
            while True:
                if self._take(program.line()):
                    program.within(self.limit_s)
        except TimeoutError:
            self._blame(f"took longer than {self.limit_s:g} s")
        except Ended as end:
            self._end(end)
        finally:
            program.kill()

    def _take(self, line: str) -> bool:
        """Whether a case began or ended."""
        if begun := BEGIN.search(line):
            self._case, self._block = begun[1], []
        elif (ended := END.search(line)) and ended[2] == self._case:
            self._end_case(ended[1])
        else:
            if count := COUNT.search(line):
                self.announced = int(count[1])
            self._block.append(line)
            return False
        return True

    def _end_case(self, outcome: str) -> None:
        self.done.add(self._case)
        if outcome == "OK":
            self.results.passed += 1
        elif outcome == "SKIPPED":
            self.results.skipped[self._case] = self._reason()
        else:
            self._fail("failed")
        self._case, self._block = "", []

    def _reason(self) -> str:
        """What stands below `file.cc:7: Skipped`."""
        for number, line in enumerate(self._block):
            if line.endswith(": Skipped"):
                return " ".join(self._block[number + 1:]).strip()
        return "no reason"

    def _fail(self, why: str) -> None:
        self._failed = True
        self.results.failed[self._case or "outside of all cases"] = why
        print("\n".join([*self._block, f"[  FAILED  ] {self._case}: {why}"]), flush=True)

    def _blame(self, why: str) -> None:
        self._block = self._block[-SHOWN:]
        self.done.add(self._case)
        self._fail(why)

    def _end(self, end: Ended) -> None:
        if end.code == SKIPPED and not self.done:
            self.results.skipped["all cases"] = self._block[-1] if self._block else "no reason"
        elif self._case or end.code != int(self._failed):
            self._blame(f"the program ended: {end}")
