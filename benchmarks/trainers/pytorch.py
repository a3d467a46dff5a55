#!/usr/bin/env python3
"""The trainers beside PyTorch on the CPU: the same model, state, batch and optimizer, step by step.

pytorch.py --python INTERPRETER-WITH-TORCH [--ranks 1|2] [--models micro,mini,llama-mini]

Each model is trained one step here; from that checkpoint both go on, and their losses must agree
before anything is timed. Runs take turns; a round leaves out its first step. Processor time is that
of all ranks: unlike the step's, other work on the machine adds little to it. With 2 ranks it is
data parallelism: DistributedDataParallel over Gloo, and train_ddp on two backends.
Exit codes: 0 ok; 1 losses differ; 2 usage.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from peers import Case, competitors, prepare
from shapes import SHAPES

from ratios import ratio_of_medians
from runs import ROOT, RunFailed, Series, ratio, ratio_text


def measured(case: Case, rounds: int, count: int) -> list[Series]:
    runs = competitors(case)
    series = {name: Series(name) for name in runs}
    for index in range(rounds):
        for name in list(runs) if index % 2 == 0 else list(runs)[::-1]:
            series[name].run(runs[name], count)
    return list(series.values())


def report(case: Case, series: list[Series]) -> None:
    peer = series[-1]
    rounds = peer.rounds
    print(f"{case.model}, {case.ranks} ranks, {case.tokens} tokens a step, {len(rounds)} rounds "
          f"of {len(rounds[0])} steps")
    for one in series:
        low, high = (value * 1e-3 for value in one.spread("step_us"))
        median_us, exposed_us = one.median("step_us"), one.median("exposed_us")
        print(f"  {one.name:18} {median_us * 1e-3:9.1f} ms [{low:.1f}, {high:.1f}]  "
              f"{case.tokens / median_us * 1e6:8.0f} tokens/s  exposed {exposed_us * 1e-3:7.2f} "
              f"ms  {peer.name} / it: {ratio_text(ratio(peer, one))}, in processor time "
              f"{ratio_text(ratio_of_medians(peer.processor_us, one.processor_us))}", flush=True)


def keep(case: Case, series: list[Series], path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        for one in series:
            file.write(json.dumps({"model": case.model, "ranks": case.ranks, "batch": case.batch,
                                   "name": one.name, "rounds": one.rounds,
                                   "processor_us": one.processor_us}) + "\n")


def compare(case: Case, arguments: argparse.Namespace) -> bool:
    """Whether the losses agree; only then are they timed."""
    if not prepare(case):
        print(f"{case.model}: the losses differ", file=sys.stderr)
        return False
    series = measured(case, arguments.rounds, arguments.steps)
    report(case, series)
    if arguments.output:
        keep(case, series, arguments.output)
    return True


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", required=True, help="an interpreter that imports torch")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--models", default="micro,mini,llama-mini")
    parser.add_argument("--ranks", type=int, choices=(1, 2), default=1)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("-o", "--output", type=Path, help="adds the steps to it, as JSON Lines")
    arguments = parser.parse_args(words)
    models = arguments.models.split(",")
    if unknown := set(models) - set(SHAPES):
        parser.error(f"no model {', '.join(sorted(unknown))}; there are {', '.join(SHAPES)}")
    agree = True
    for model in models:
        with tempfile.TemporaryDirectory() as folder:
            case = Case(model, arguments.batch, arguments.ranks, Path(folder), arguments.build,
                        arguments.python)
            try:
                agree &= compare(case, arguments)
            except RunFailed as problem:
                parser.error(str(problem))
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
