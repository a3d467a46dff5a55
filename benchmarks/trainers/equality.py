#!/usr/bin/env python3
"""The same training on many layouts, bit by bit: equality.py [--models nano,micro] [--steps 10]

Prints, for each layout, how many bits of all losses, of the final parameters and of the optimizer's
moments differ from those of one rank; `fast` shows what they are without --deterministic.
Exit codes: 0 no bit differs; 1 some do; 2 a run failed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from saved import KINDS, read_saved

from runs import ROOT, RunFailed, trained

MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe", "-np")


@dataclass(frozen=True)
class Layout:
    ranks: int
    zero: int = 0
    words: tuple[str, ...] = ()
    mpi: bool = False

    @property
    def name(self) -> str:
        how = " ".join(self.words) or "threads"
        return f"{self.ranks} x stage {self.zero}, {'mpirun' if self.mpi else how}"

    def command(self, build: Path) -> list[str]:
        program = [str(build / "bin" / "train_fsdp"), "--zero", str(self.zero), *self.words]
        if self.mpi:
            return [*MPIRUN, str(self.ranks), *program]
        return program if "--nprocs" in self.words else [*program, "-t", str(self.ranks)]


def layouts() -> Iterator[Layout]:
    """Ranks by stages; then the other ways to start ranks, to send, and to compute."""
    for ranks in (1, 2, 3, 4, 8):
        for zero in range(4):
            yield Layout(ranks, zero)
    for zero in (0, 3):
        yield Layout(2, zero, ("--nprocs", "2"))
        yield Layout(2, zero, ("--nprocs", "2", "--backend", "gloo"))
        yield Layout(2, zero, mpi=True)
        yield Layout(2, zero, ("--overlap", "off"))
        yield Layout(2, zero, ("--overlap", "fake"))
        yield Layout(2, zero, ("--recompute", "full"))
        yield Layout(2, zero, ("--bucket-cap-mb", "1"))
    yield Layout(3, 2, ("--backend", "fake"))
    yield Layout(2, 3, ("--reshard-after-forward", "0", "--prefetch", "3"))


@dataclass(frozen=True)
class Outcome:
    losses: np.ndarray
    state: dict[str, dict[str, np.ndarray]]


def outcome_of(command: list[str], steps: int) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        lines = trained([*command, "--steps", str(steps), "--checkpoint", folder])
        return Outcome(np.array([line["loss"] for line in lines]), read_saved(Path(folder)).kinds)


def differing_bits(first: np.ndarray, second: np.ndarray) -> int:
    both = (np.ascontiguousarray(one).view(np.uint8) for one in (first, second))
    return int(np.unpackbits(np.bitwise_xor(*both)).sum())


def row(name: str, one: Outcome, other: Outcome) -> int:
    """Prints it; all bits that differ."""
    bits = [differing_bits(one.losses, other.losses)]
    bits += [sum(differing_bits(array, other.state[kind][tensor])
                 for tensor, array in one.state[kind].items()) for kind in KINDS]
    print(f"{name:45}" + "".join(f"{count:>12}" for count in bits), flush=True)
    return sum(bits)


def matrix(model: str, arguments: argparse.Namespace) -> int:
    words = ["--model", model, "--batch", str(arguments.batch)]
    exact = [*words, "--deterministic", "--assert-accounting"]
    print(f"# {model}, {arguments.steps} steps of {arguments.batch} sequences: bits that differ")
    print(f"{'layout':45}{'losses':>12}{'parameters':>12}{'m':>12}{'v':>12}")

    def run(layout: Layout, mode: list[str]) -> Outcome:
        return outcome_of([*layout.command(arguments.build), *mode], arguments.steps)

    one = run(Layout(1), exact)
    found = [row(layout.name, one, run(layout, exact)) for layout in layouts()]
    numbers = one.losses.size + sum(a.size for kind in KINDS for a in one.state[kind].values())
    print(f"# {len(found)} layouts x {numbers} numbers: {sum(found)} bits differ")
    row("fast, 2 x stage 0", one, run(Layout(2), words))
    return sum(found)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default="nano")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    arguments = parser.parse_args(words)
    try:
        return 1 if sum(matrix(model, arguments) for model in arguments.models.split(",")) else 0
    except RunFailed as problem:
        print(f"equality: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
