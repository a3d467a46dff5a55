"""nano learns from the command line: its loss comes down to the entropy of what it is trained on.

The settings of docs/results/trainers.md.
"""

import json
import re
import tempfile
import unittest
from pathlib import Path

from support import main, run, tool

SHARE = 0.02  # above the entropy, below which no model gets
LAST = 20  # steps whose mean is judged, so that their tokens vary less
LIMIT_S = 900


class Nano(unittest.TestCase):
    def learns(self, *words: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.jsonl"
            done = run([tool("train_ddp"), *words, "--jsonl", str(path)], limit_s=LIMIT_S)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = [json.loads(line) for line in path.read_text().splitlines()]
        entropy = float(re.search(r"data markov of (\S+) nats a token", done.stdout)[1])
        losses = [line["loss"] for line in lines if line["kind"] == "step"]
        above = sum(losses[-LAST:]) / LAST / entropy - 1
        print(f"\n{' '.join(words)}: {100 * above:.2f} % above {entropy:.4f} nats")
        self.assertGreater(losses[0], 2 * entropy)
        self.assertLess(above, SHARE)
        self.assertGreater(above, -SHARE)

    def test_in_1000_steps_without_weight_decay(self):
        self.learns("--steps", "1000", "--lr", "0.01", "--warmup-steps", "50",
                    "--weight-decay", "0")

    def test_in_1200_steps_with_the_usual_weight_decay(self):
        self.learns("--steps", "1200", "--lr", "0.004", "--warmup-steps", "50")


if __name__ == "__main__":
    main()
