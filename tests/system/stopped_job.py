"""A job of which one process is stopped, and what its stderr says of it."""

import re
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from job import children, kill
from support import environment

# "rank 3 (node, pid 7) is missing", "rank 1, rank 2 of 3 did not come", "ranks 2-3 (...) stopped"
SUBJECT = r"ranks? (\d[\d, -]*)(?: \([^)]*\))?"
VERDICT = (r"[^;:]*?(?:is missing|are missing|did not come|has not arrived|to connect|stopped"
           r"|to start|does not answer|did not answer|waiting for)")


def runs_the_tool(pid: int) -> bool:
    """Not so between a launcher's fork and its exec: then the launcher waits, and we do not run."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/exe").resolve().name == "linerate"
    return False


class StoppedJob:
    """A job of several processes, its output in files."""

    def __init__(self, folder: Path, commands: list[list[str]], variables: list[dict[str, str]]):
        self.errors = [folder / f"{i}.err" for i in range(len(commands))]
        self.processes = []
        for command, extra, path in zip(commands, variables, self.errors, strict=True):
            with path.open("w") as err:
                self.processes.append(subprocess.Popen(
                    command, stdout=subprocess.DEVNULL, stderr=err, stdin=subprocess.DEVNULL,
                    env=environment(**extra)))

    def ranks(self) -> dict[int, int]:
        """Pids by rank, of those that run the tool."""
        pids = [process.pid for process in self.processes]
        if len(pids) == 1:  # of a launcher
            with suppress(FileNotFoundError):
                pids = children(pids[0])
        return {rank: pid for rank, pid in enumerate(pids) if runs_the_tool(pid)}

    def wait(self, stopped: int, limit_s: float) -> list[int]:
        """Exit codes of all but the stopped process; TimeoutExpired where they do not end."""
        end = time.monotonic() + limit_s
        return [process.wait(max(0.1, end - time.monotonic()))
                for process in self.processes if process.pid != stopped]

    def stderr(self) -> str:
        return "".join(path.read_text() for path in self.errors)

    def kill(self) -> None:
        for pid in self.ranks().values():
            kill(pid)
        for process in self.processes:
            process.kill()
            process.wait()


def blamed(errors: str) -> set[int]:
    """The ranks that the sentences name as those for which others wait."""
    found: set[int] = set()
    for words in re.findall(SUBJECT + f"(?={VERDICT})", errors):
        for part in filter(str.strip, words.split(",")):
            first, _, last = part.strip(" -").partition("-")
            found |= set(range(int(first), int(last or first) + 1))
    return found
