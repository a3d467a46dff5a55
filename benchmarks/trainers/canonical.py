#!/usr/bin/env python3
"""What --deterministic costs: canonical.py [--models micro] [--ranks 1,2] [--rounds 5]

Runs take turns with the fast mode's; `same leaves` is the fast mode with the micro-batches that the
canonical mode computes, so that the rest is what its sums cost.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from runs import ROOT, RunFailed, Series, ratio, ratio_of_medians, ratio_text, trained

MODES = {"fast": [], "fast, same leaves": ["--micro-batch", "1"], "canonical": ["--deterministic"]}


def report(model: str, ranks: int, arguments: argparse.Namespace) -> None:
    series = {mode: Series(mode) for mode in MODES}
    words = [str(arguments.build / "bin" / "train_ddp"), "--model", model, "-t", str(ranks),
             "--batch", str(arguments.batch), "--steps"]
    for index in range(arguments.rounds):
        for mode in list(MODES) if index % 2 == 0 else list(MODES)[::-1]:
            series[mode].run(lambda steps, mode=mode: trained([*words, str(steps), *MODES[mode]]),
                             arguments.steps)
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
