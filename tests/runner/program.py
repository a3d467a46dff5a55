"""A running program, its output line by line, and its end."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
import time
from contextlib import suppress


class Ended(Exception):
    """The program ended, and all that it printed was read."""

    def __init__(self, code: int):
        super().__init__(signal.Signals(-code).name if code < 0 else f"exit code {code}")
        self.code = code


class Program:
    """Both of its streams, as one; whatever it started dies with it."""

    def __init__(self, command: list[str]):
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                         stdin=subprocess.DEVNULL, text=True, errors="replace",
                                         start_new_session=True)
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._deadline = float("inf")
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def within(self, seconds: float) -> None:
        """From now on `line` waits until then."""
        self._deadline = time.monotonic() + seconds

    def line(self) -> str:
        """The next one. Throws Ended where there is none, TimeoutError where none came in time."""
        while True:
            with suppress(queue.Empty):
                # A child that outlives the program may hold its stream open.
                line = self._lines.get(timeout=0.5)
                if line is None:
                    raise Ended(self._process.wait())
                return line
            if self._process.poll() is not None and self._lines.empty():
                self.kill()
                raise Ended(self._process.returncode)
            if time.monotonic() > self._deadline:
                raise TimeoutError

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
