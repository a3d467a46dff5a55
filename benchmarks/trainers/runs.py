"""Runs of the trainers and what their JSON Lines say."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from ratios import Estimate, ratio_of_medians  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 1800


class RunFailed(Exception):
    """A command that should have trained did not; the message has its last words."""


def processor_s() -> float:
    """Time that the processes have computed which this one started and which are done."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def finished(command: Sequence[str], **environment: str) -> str:
    """What `command` printed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False,
                          stdin=subprocess.DEVNULL, env=os.environ | environment)
    if done.returncode != 0:
        raise RunFailed(f"'{' '.join(command)}' ended with {done.returncode}: "
                        f"{(done.stderr or done.stdout).strip()[-400:]}")
    return done.stdout


def steps_of(text: str) -> list[dict]:
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return [line for line in lines if line["kind"] == "step"]


def trained(command: Sequence[str], **environment: str) -> list[dict]:
    """The step lines of a run of train_ddp or train_fsdp."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.jsonl")
        finished([*command, "--jsonl", str(path)], **environment)
        return steps_of(path.read_text(encoding="utf-8"))


@dataclass
class Series:
    """One competitor's steps, a list for each round."""

    name: str
    rounds: list[list[dict]] = field(default_factory=list)
    processor_us: list[float] = field(default_factory=list)  # of a step, by round: all ranks

    def run(self, train: Callable[[int], list[dict]], count: int) -> None:
        """A round: the first step, and `count` more, which are what counts."""
        start_s = processor_s()
        train(1)
        first_s = processor_s()
        self.rounds.append(train(1 + count)[1:])
        self.processor_us.append((processor_s() - first_s - (first_s - start_s)) / count * 1e6)

    def medians(self, key: str) -> list[float]:
        return [statistics.median(step[key] for step in steps) for steps in self.rounds]

    def median(self, key: str) -> float:
        return statistics.median(self.medians(key))

    def spread(self, key: str) -> tuple[float, float]:
        """Fastest and slowest round."""
        return min(self.medians(key)), max(self.medians(key))


def ratio(above: Series, below: Series, key: str = "step_us") -> Estimate:
    """Of their medians; rounds of equal index were measured beside each other."""
    return ratio_of_medians(above.medians(key), below.medians(key))


def ratio_text(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
