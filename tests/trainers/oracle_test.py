"""The model's logits, losses and gradients beside an implementation of its own in NumPy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from oracle import Decoder

PROGRAM = Path(os.environ["LINERATE_BIN"]) / "model_dump"
FORWARD = 1e-10  # logits and losses: absolute
BACKWARD = 1e-9  # of a tensor's largest gradient


def tensors(case: dict, values: str) -> dict[str, np.ndarray]:
    """The flat values cut into the table's parameters."""
    flat = np.array(case[values])
    ends = np.cumsum([np.prod(row["shape"]) for row in case["parameters"]])
    parts = np.split(flat, ends[:-1])
    return {row["name"]: part.reshape(row["shape"])
            for row, part in zip(case["parameters"], parts, strict=True)}


def masks_of(case: dict) -> np.ndarray:
    masks = np.array(case["masks"])
    return masks.reshape(len(masks), -1, case["length"], masks.shape[1] // len(case["tokens"]))


def worst_gradients(decoder: Decoder, got: dict[str, np.ndarray]) -> dict[str, float]:
    """The parameters whose gradients differ, and by how much of the largest one."""
    worst = {}
    for name, expected in decoder.gradients.items():
        difference = np.abs(got[name] - expected).max() / np.abs(expected).max()
        if not difference < BACKWARD:
            worst[name] = difference
    return worst


class Oracle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run([PROGRAM], capture_output=True, text=True, check=True)
        cls.cases = {case["name"]: case for case in json.loads(done.stdout)}

    def compare(self, name: str) -> None:
        case = self.cases[name]
        decoder = Decoder(case["llama"], case["layers"], case["heads"], case["kv_heads"],
                          tensors(case, "values"), masks_of(case))
        tokens, targets = (np.array(case[key]).reshape(-1, case["length"])
                           for key in ("tokens", "targets"))
        logits, losses = decoder.run(tokens, targets)

        np.testing.assert_allclose(case["logits"], logits.ravel(), rtol=0, atol=FORWARD)
        np.testing.assert_allclose(case["losses"], losses.ravel(), rtol=0, atol=FORWARD)
        self.assertEqual(np.count_nonzero(case["losses"]), np.count_nonzero(targets >= 0))
        self.assertEqual(worst_gradients(decoder, tensors(case, "gradients")), {})

    def test_gpt2(self):
        self.compare("ragged-gpt2")

    def test_llama_with_grouped_queries(self):
        self.compare("ragged-llama")

    def test_gpt2_with_dropout(self):
        masks = self.cases["ragged-gpt2-dropout"]["masks"]

        self.assertEqual({value for mask in masks for value in mask}, {0, 1 / 0.9})
        self.assertEqual(len({tuple(mask) for mask in masks}), len(masks))
        self.compare("ragged-gpt2-dropout")


if __name__ == "__main__":
    unittest.main()
