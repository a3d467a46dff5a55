#!/usr/bin/env python3
"""What --deterministic costs: canonical.py [--models micro] [--ranks 1,2] [--rounds 5]

Runs take turns with the fast mode's; `same leaves` is the fast mode with the micro-batches that the
canonical mode computes, so that the rest is what its sums cost. `fixed blocks` is what the
canonical mode falls back to where OpenBLAS's products fail its self-test. They do with the kernels
for Haswell, which OPENBLAS_CORETYPE asks for; where they do not, the mode is left out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from runs import ROOT, RunFailed, Series, ratio, ratio_of_medians, ratio_text, trained

MODES = {"fast": [], "fast, same leaves": ["--micro-batch", "1"], "canonical": ["--deterministic"],
         "fixed blocks": ["--deterministic"]}
VARIABLES = {"fixed blocks": {"OPENBLAS_CORETYPE": "Haswell"}}


def falls_back(program: str, model: str) -> bool:
    """Whether the self-test fails in the last mode."""
    command = [program, "--model", model, "--deterministic", "--steps", "1", "--batch", "1"]
    done = subprocess.run(command, env=os.environ | VARIABLES["fixed blocks"], check=False,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return "fixed blocks" in done.stderr


def report(model: str, ranks: int, arguments: argparse.Namespace) -> None:
    program = str(arguments.build / "bin" / "train_ddp")
    modes = list(MODES) if falls_back(program, model) else list(MODES)[:-1]
    series = {mode: Series(mode) for mode in modes}
    words = [program, "--model", model, "-t", str(ranks), "--batch", str(arguments.batch),
             "--steps"]
    for index in range(arguments.rounds):
        for mode in modes if index % 2 == 0 else modes[::-1]:
            series[mode].run(lambda steps, mode=mode: trained(
                [*words, str(steps), *MODES[mode]], **VARIABLES.get(mode, {})), arguments.steps)
    print(f"{model}, {ranks} ranks, {arguments.batch} sequences a step, {arguments.rounds} rounds "
          f"of {arguments.steps} steps")
    fast = series["fast"]
    for mode, one in series.items():
        low, high = (value * 1e-3 for value in one.spread("step_us"))
        used = ratio_of_medians(one.processor_us, fast.processor_us)
        print(f"  {mode:18} {one.median('step_us') * 1e-3:9.1f} ms [{low:.1f}, {high:.1f}]  "
              f"it / fast: {ratio_text(ratio(one, fast))}, in processor time "
              f"{ratio_text(used)}", flush=True)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default="micro")
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    arguments = parser.parse_args(words)
    try:
        for model in arguments.models.split(","):
            for ranks in arguments.ranks.split(","):
                report(model, int(ranks), arguments)
    except RunFailed as problem:
        print(f"canonical: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
