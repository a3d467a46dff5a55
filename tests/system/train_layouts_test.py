"""Layouts of 1 to 8 ranks over tp, cp, pp and dp have one rank's losses and weights, to the bit:
some for 3 steps, and with TRAIN_LAYOUTS=all every one for 50."""

import hashlib
import json
import os
import unittest
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy

from support import main, tool
from train_test import steps

ALL = os.environ.get("TRAIN_LAYOUTS") == "all"
STEPS = 50 if ALL else 3
EVERY = 1 if ALL else 7
TRAINING = ["--deterministic", "--assert-accounting", "--steps", str(STEPS)]
SCHEDULES = {1: [[]],
             2: [["--schedule", name] for name in ("naive", "gpipe", "1f1b", "zb-h1")]
             + [["--schedule", "interleaved", "--virtual-stages", "2"]],
             4: [["--schedule", name] for name in ("gpipe", "1f1b", "zb-h1")]}


def layouts(nranks: int) -> Iterator[list[str]]:
    """Of nano, which has four layers and four heads."""
    for tp, cp, pp in product((1, 2, 4), (1, 2, 4, 8), (1, 2, 4)):
        if nranks % (tp * cp * pp):
            continue
        sharing = nranks // (tp * pp)  # the ranks that hold the same layers' same parts
        for schedule, zero in product(SCHEDULES[pp], range(4 if sharing > 1 else 1)):
            words = ["-t", str(nranks), "--tp", str(tp), "--cp", str(cp), "--zero", str(zero),
                     *(["--pp", str(pp)] if pp > 1 else []), *schedule]
            yield words
            if tp > 1 and zero in (0, 3) and "zb-h1" not in words:
                yield [*words, "--sequence-parallel"]


def state_of(checkpoint: Path) -> dict[str, str]:
    """A digest of each tensor's parameters and of each of its moments, whoever wrote which part."""
    manifest = json.loads((checkpoint / "manifest.json").read_text())
    whole = {}
    for chunk in manifest["chunks"]:
        tensor = manifest["tensors"][chunk["tensor"]]
        at = whole.setdefault(f"{tensor['name']} {chunk['kind']}",
                              numpy.full(tensor["shape"], numpy.nan, numpy.float32))
        rows, columns = chunk.get("sizes", (1, chunk.get("count")))
        part = numpy.fromfile(checkpoint / f"rank-{chunk['file']:05}.bin", numpy.float32,
                              rows * columns, offset=chunk["offset"])
        if "sizes" in chunk:
            row, column = chunk["offsets"]
            at[row:row + rows, column:column + columns] = part.reshape(rows, columns)
        else:
            at.reshape(-1)[chunk["index"]:chunk["index"] + columns] = part
    assert not any(numpy.isnan(values).any() for values in whole.values())
    return {name: hashlib.sha256(values).hexdigest() for name, values in whole.items()}


def trained(words: list[str]) -> tuple[list[tuple[float, float]], dict[str, str]]:
    with TemporaryDirectory() as folder:
        lines = steps(tool("train_3d"), *words, *TRAINING, "--checkpoint", folder)
        return ([(line["loss"], line["grad_norm"]) for line in lines],
                state_of(Path(folder) / f"step-{STEPS:06}"))


class Layouts(unittest.TestCase):
    def test_have_the_losses_and_weights_of_one_rank(self):
        one = trained([])
        self.assertEqual((len(one[0]), len(one[1])), (STEPS, 3 * 52))
        tried = [words for nranks in (1, 2, 4, 8) for words in layouts(nranks)][::EVERY]
        for words in tried:
            with self.subTest(words=words):
                self.assertEqual(trained(words), one)
        self.assertGreaterEqual(len(tried), 150 // EVERY)


if __name__ == "__main__":
    main()
