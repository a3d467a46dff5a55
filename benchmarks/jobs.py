"""Jobs that stay alive: their ranks sleep at a socket and measure when they are asked."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

START_S = 60.0
ANSWER_S = 120.0
END_S = 10.0


class JobLost(Exception):
    """Why a job cannot go on, as a sentence."""


@dataclass(frozen=True)
class Line:
    """The connection of one rank."""

    connection: socket.socket
    reader: Any

    def send(self, message: dict[str, Any]) -> None:
        self.connection.sendall(json.dumps(message).encode() + b"\n")

    def receive(self) -> dict[str, Any]:
        line = self.reader.readline()
        if not line:
            raise ConnectionError("it ended")
        return json.loads(line)


class Job:
    """`nlines` connections to one command's processes, in the order of ranks."""

    def __init__(self, command: list[str], nlines: int, environment: dict[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="bench-")
        path = str(Path(self._folder.name, "socket"))
        self._errors = Path(self._folder.name, "errors")
        self.lines: list[Line] = []
        self.greetings: list[dict[str, Any]] = []
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen(nlines)
            listener.settimeout(0.2)
            with self._errors.open("wb") as errors:
                self._process = subprocess.Popen(
                    [*command, "--socket", path], stdin=subprocess.DEVNULL, stdout=errors,
                    stderr=errors, env=environment, start_new_session=True)
            try:
                self._accept(listener, nlines)
            except (JobLost, OSError, ValueError) as problem:
                said = self._last_words()
                self.close()
                raise JobLost(said or str(problem)) from problem

    def _accept(self, listener: socket.socket, nlines: int) -> None:
        deadline = time.monotonic() + START_S
        greeted: list[tuple[dict[str, Any], Line]] = []
        while len(greeted) < nlines:
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise JobLost("its ranks did not come")
            with contextlib.suppress(TimeoutError):
                connection, _ = listener.accept()
                connection.settimeout(ANSWER_S)
                line = Line(connection, connection.makefile("r"))
                greeted.append((line.receive(), line))
        greeted.sort(key=lambda pair: pair[0]["rank"])
        self.greetings = [greeting for greeting, _ in greeted]
        self.lines = [line for _, line in greeted]

    def _last_words(self) -> str:
        """The last line of a rank of ours; else the last words, of a launcher's framed message."""
        lines = self._errors.read_text(errors="replace").splitlines()
        said = [line for line in lines if any(map(str.isalpha, line))]
        ours = [line for line in said if line.startswith("linerate: ")]
        return (ours or said or [""])[-1]

    def ask(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        """The answers of all ranks to one request. Raises JobLost."""
        try:
            for line in self.lines:
                line.send(message)
            return [line.receive() for line in self.lines]
        except (OSError, ValueError) as problem:
            raise JobLost(self._last_words() or str(problem)) from problem

    def close(self) -> None:
        """The ranks see the end of their lines and leave; who does not is killed."""
        for line in self.lines:
            line.reader.close()
            line.connection.close()
        try:
            self._process.wait(END_S if self.lines else 0)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._folder.cleanup()
