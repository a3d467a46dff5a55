"""One training, by train_ddp and by PyTorch from the same checkpoint."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shapes import SHAPES

from runs import ROOT, finished, steps_of, trained

HERE = Path(__file__).resolve().parent
CHECKED_STEPS = 4
TOLERANCE = 1e-4  # of a loss: float32 in another order of sums


@dataclass(frozen=True)
class Case:
    model: str
    batch: int
    ranks: int
    folder: Path
    build: Path
    python: str

    @property
    def tokens(self) -> int:
        """Of a step."""
        return self.batch * SHAPES[self.model].length

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def train_ddp(self, steps: int, *words: str) -> list[dict]:
        program = str(self.build / "bin" / "train_ddp")
        return trained([program, "--model", self.model, "--data", str(self.data),
                        "--batch", str(self.batch), "--steps", str(steps), "--lr", "0.001",
                        "--lr-decay", "constant", "--warmup-steps", "0", *words])

    def torch(self, steps: int) -> list[dict]:
        command = [self.python, str(HERE / "torch_steps.py"), self.model,
                   str(self.folder / "state"), str(self.data), str(self.batch), str(steps)]
        if self.ranks == 1:
            return steps_of(finished(command))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        meeting = {"WORLD_SIZE": str(self.ranks), "MASTER_ADDR": "127.0.0.1",
                   "MASTER_PORT": str(port)}
        others = [subprocess.Popen(command, env=os.environ | meeting | {"RANK": str(rank)})
                  for rank in range(1, self.ranks)]
        try:
            return steps_of(finished(command, **meeting, RANK="0"))
        finally:
            for other in others:
                other.wait(60)


def prepare(case: Case) -> bool:
    """One sequence's bytes a row, all in each step; whether the losses after the first step agree.
    """
    pages = b"".join(path.read_bytes() for path in sorted((ROOT / "docs").glob("*.md")))
    case.data.write_bytes(pages[:case.tokens + 1])
    case.train_ddp(1, "--checkpoint", str(case.folder / "state"))
    ours = case.train_ddp(1 + CHECKED_STEPS)[1:]
    theirs = case.torch(CHECKED_STEPS)
    agree = True
    for own, other in zip(ours, theirs, strict=True):
        print(f"# {case.model}, {case.ranks} ranks: loss {own['loss']:.7f}, of PyTorch "
              f"{other['loss']:.7f}")
        agree &= abs(own["loss"] - other["loss"]) <= TOLERANCE * own["loss"]
    return agree


def competitors(case: Case) -> dict[str, Callable[[int], list[dict]]]:
    if case.ranks == 1:
        return {"linerate": case.train_ddp, "PyTorch": case.torch}
    words = ["--nprocs", str(case.ranks), "--backend"]
    return {"linerate, host": lambda steps: case.train_ddp(steps, *words, "host"),
            "linerate, Gloo": lambda steps: case.train_ddp(steps, *words, "gloo"),
            "PyTorch DDP, Gloo": case.torch}
