"""The jobs of all competitors for one number of ranks: started one by one, ended together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from competitors import Competitor, command_of, environment_of, reason_to_skip
from jobs import Job, JobLost

Write = Callable[[dict[str, Any]], None]


class Fleet:
    """Who is alive. Every loss is written down with its reason; the lost do not come back."""

    def __init__(self, competitors: Iterable[Competitor], build: Path, write: Write) -> None:
        self.jobs: dict[str, Job] = {}
        self._competitors, self._build, self._write = tuple(competitors), build, write

    def start(self, nranks: int, buffer_bytes: int) -> None:
        for competitor in self._competitors:
            try:
                self.jobs[competitor.key] = self._start(competitor, nranks, buffer_bytes)
            except JobLost as problem:
                self.lose(competitor.key, str(problem))

    def _start(self, competitor: Competitor, nranks: int, buffer_bytes: int) -> Job:
        reason = reason_to_skip(competitor, self._build)
        if reason is not None:
            raise JobLost(reason)
        command = command_of(competitor, nranks, self._build)
        job = Job([*command, "--buffer-bytes", str(buffer_bytes)], nranks,
                  environment_of(competitor, self._build))
        self._write({"kind": "competitor", "competitor": competitor.key, "nranks": nranks,
                     "version": job.greetings[0]["version"], "command": " ".join(command)})
        return job

    def lose(self, key: str, reason: str) -> None:
        """From now on it takes no part."""
        job = self.jobs.pop(key, None)
        if job is not None:
            job.close()
        self._write({"kind": "lost", "competitor": key, "reason": reason})

    def close(self) -> None:
        for job in self.jobs.values():
            job.close()
        self.jobs.clear()
