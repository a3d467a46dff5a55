"""What the tests of --elastic share: trainings on 8 ranks, of which some are killed."""

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from checkpoints import Checkpoints
from support import environment, json_lines, run, tool

STEPS = 24
TRAINING = ["--deterministic", "--batch", "8", "--steps", str(STEPS)]
LAYOUTS = ([tool("train_3d"), "--tp", "2", "--pp", "2"], [tool("train_fsdp"), "--zero", "3"],
           [tool("train_3d"), "--tp", "2", "--cp", "2", "--zero", "2"], [tool("train_ddp")],
           [tool("train_3d"), "--tp", "4", "--pp", "2", "--sequence-parallel"])


@dataclass(frozen=True)
class Kill:
    """Behind a step, so many seconds later, of the child at an index; several at once."""

    step: int
    wait_s: float
    children: tuple[int, ...]


def children_of(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class Elastic(Checkpoints):
    def setUp(self):
        super().setUp()
        self.save = ["--checkpoint", str(self.folder), "--checkpoint-every", "4", "--elastic"]

    def lines(self, kind: str) -> list[dict]:
        return [line for line in json_lines(self.jsonl) if line["kind"] == kind]

    def await_step(self, job: subprocess.Popen, step: int) -> None:
        while f'"step":{step},' not in (self.jsonl.read_text() if self.jsonl.exists() else ""):
            self.assertIsNone(job.poll())
            time.sleep(0.005)

    def train_through(self, kills: list[Kill], layout: list[str], *words: str) -> tuple[int, str]:
        """Trains on 8 ranks; yields the exit code and what stderr says."""
        command = [*layout, "--nprocs", "8", *TRAINING, *self.save, "--jsonl", str(self.jsonl)]
        with subprocess.Popen([*command, *words], text=True, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, env=environment()) as job:
            for kill in kills:
                self.await_step(job, kill.step)
                time.sleep(kill.wait_s)
                ranks = children_of(job.pid)
                for child in kill.children:
                    os.kill(ranks[child], signal.SIGKILL)
            return job.wait(timeout=120), job.stderr.read()

    def check_losses(self) -> None:
        """Those of one rank that nobody killed, all of them."""
        whole = [tool("train_ddp"), *TRAINING, "--jsonl", str(self.jsonl.with_name("whole.jsonl"))]
        self.assertEqual(run(whole).returncode, 0)
        expected = {line["step"]: line["loss"] for line in
                    json_lines(self.jsonl.with_name("whole.jsonl")) if line["kind"] == "step"}
        steps = self.lines("step")
        self.assertEqual({line["step"] for line in steps}, set(expected))
        for line in steps:
            self.assertEqual(line["loss"], expected[line["step"]], line["step"])
