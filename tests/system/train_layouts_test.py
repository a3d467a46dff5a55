"""Layouts of 1 to 8 ranks over tp, cp, pp and dp have one rank's losses, to the bit: some, and
with TRAIN_LAYOUTS=all every one."""

import os
import unittest
from collections.abc import Iterator
from itertools import product

from support import main, tool
from train_test import steps

STEPS = 3
EVERY = 1 if os.environ.get("TRAIN_LAYOUTS") == "all" else 7
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


class Layouts(unittest.TestCase):
    def test_have_the_losses_of_one_rank(self):
        def losses(words: list[str]) -> list[tuple[float, float]]:
            return [(line["loss"], line["grad_norm"])
                    for line in steps(tool("train_3d"), *words, *TRAINING)]

        one = losses([])
        self.assertEqual(len(one), STEPS)
        tried = [words for nranks in (1, 2, 4, 8) for words in layouts(nranks)][::EVERY]
        for words in tried:
            with self.subTest(words=words):
                self.assertEqual(losses(words), one)
        self.assertGreaterEqual(len(tried), 150 // EVERY)


if __name__ == "__main__":
    main()
