"""What the tests of checkpoints share: trainings that save, on several layouts."""

import json
import tempfile
import unittest
from pathlib import Path

from support import run, tool

LAYOUTS = ([tool("train_ddp"), "--nprocs", "2"], [tool("train_fsdp"), "--nprocs", "3"],
           [tool("train_fsdp"), "-t", "2", "--zero", "2"], [tool("train_ddp")])
TRAINING = ["--deterministic", "--batch", "3", "--lr-decay", "constant", "--warmup-steps", "0"]


def losses_of(path: Path) -> list[tuple[int, float]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [(line["step"], line["loss"]) for line in lines if line["kind"] == "step"]


def steps_of(folder: Path) -> list[int]:
    return sorted(int(path.name[5:]) for path in folder.glob("step-*") if path.name[5:].isdigit())


class Checkpoints(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "saved"
        self.jsonl = Path(temporary.name) / "run.jsonl"
        self.save = ["--checkpoint", str(self.folder), "--resume", "auto"]

    def train(self, steps: int, layout: list[str] = LAYOUTS[0], *words: str) -> None:
        done = run([*layout, *TRAINING, *self.save, "--steps", str(steps), "--jsonl",
                    str(self.jsonl), *words])
        self.assertEqual(done.returncode, 0, done.stderr)

    def refused(self, said: str, *words: str) -> None:
        done = run([*LAYOUTS[2], *TRAINING, "--steps", "9", *words])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(said, done.stderr)
        sentences = [line for line in done.stderr.splitlines() if "linerate: note" not in line]
        self.assertEqual(len(sentences), 1, done.stderr)
