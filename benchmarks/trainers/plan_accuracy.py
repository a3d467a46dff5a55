"""Steps that linerate plan predicts beside those that train_3d takes, on this machine.

Usage: plan_accuracy.py [--bin DIR] [--model NAME] [--ranks LIST] [--layouts N] [--steps N]
                        [--folder DIR] [--emulate FILE]

Of each number of ranks some layouts, at even distances in the order of their predictions, run in
random order, thrice each: the fastest run counts. FOLDER keeps what was measured. Prints a row for
each, then the mean absolute error, Kendall's tau, and how much slower than the fastest run three
planners' choices are: linerate plan's, that of max(compute, communication), and a rule by size
(data-parallel below 10^9 parameters).
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
from itertools import combinations
from pathlib import Path

from runs import ROOT, finished

WARMUP, REPEATS = 2, 3


def predicted(args: argparse.Namespace, nranks: int) -> list[dict]:
    """All layouts, the fastest first, by the machine as it is measured now."""
    command = [f"{args.bin}/linerate", "plan", "--model", args.model, "--ranks", str(nranks),
               "--batch", str(args.batch), "--most", "100000", "--json", "--measured",
               str(args.folder / f"machine-{args.model}-{nranks}.json"), *args.network]
    return json.loads(finished(command))["best"]


def spread(rows: list[dict], count: int) -> list[dict]:
    """The first and the last, those at even distances between, and data parallelism."""
    count = min(count, len(rows))
    picked = {round(i * (len(rows) - 1) / max(1, count - 1)) for i in range(count)}
    picked |= {i for i, row in enumerate(rows) if is_plain(row)}
    return [rows[i] for i in sorted(picked)]


def is_plain(row: dict) -> bool:
    """What the rule by size takes: data-parallel."""
    return row["tp"] * row["cp"] * row["pp"] == 1 and row["zero"] == 0


def step_us(args: argparse.Namespace, nranks: int, row: dict) -> float:
    """The lower quartile of a run's steps: what took longer was interrupted."""
    path = args.folder / "steps.jsonl"
    path.unlink(missing_ok=True)
    finished([f"{args.bin}/train_3d", "-t", str(nranks), "--model", args.model, "--batch",
              str(args.batch), "--steps", str(args.steps + WARMUP), "--jsonl", str(path),
              *row["options"].split(), *args.network])
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    times = [line["step_us"] for line in lines if line["kind"] == "step"][WARMUP:]
    return statistics.quantiles(times, n=4)[0]


def kendall_tau(pairs: list[tuple[float, float]]) -> float:
    """Pairs of the same order less those of the other, over all."""
    signs = [(a[0] - b[0]) * (a[1] - b[1]) for a, b in combinations(pairs, 2)]
    return (sum(s > 0 for s in signs) - sum(s < 0 for s in signs)) / max(1, len(signs))


def overlapped_us(row: dict) -> float:
    """max(compute, communication), without what waits."""
    parts = row["parts_us"]
    return max(parts["compute"], parts["tp"] + parts["cp"] + parts["dp"])


def report(rows: list[dict], nranks: int) -> None:
    """Of one number of ranks."""
    pairs = [(row["step_us"], row["measured_us"]) for row in rows]
    errors = [abs(p - m) / m for p, m in pairs]
    best = min(m for _, m in pairs)
    ours = min(rows, key=lambda row: row["step_us"])
    theirs = min(rows, key=overlapped_us)
    plain = max(filter(is_plain, rows), key=lambda row: row["micro_batch"])
    print(f"# {nranks} ranks: {len(rows)} layouts, mean absolute error "
          f"{100 * statistics.mean(errors):.1f} %, median {100 * statistics.median(errors):.1f} %, "
          f"tau {kendall_tau(pairs):.2f}; slower than the fastest: plan "
          + ", ".join(f"{100 * (row['measured_us'] / best - 1):.1f} % {name}" for row, name in
                      ((ours, ""), (theirs, "by max(compute, communication)"),
                       (plain, "by size"))))


def main() -> None:
    """Predicts, runs and compares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=str(ROOT / "build" / "bin"))
    parser.add_argument("--model", default="nano")
    parser.add_argument("--ranks", default="1,2,4,8")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--layouts", type=int, default=16)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--folder", type=Path, default=Path("plan-accuracy"))
    parser.add_argument("--emulate", dest="network", default=[],
                        type=lambda name: ["--emulate", name])
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    everything = []
    for nranks in map(int, args.ranks.split(",")):
        rows = spread(predicted(args, nranks), args.layouts)
        for row in random.sample(REPEATS * rows, REPEATS * len(rows)):
            fastest = row.get("measured_us", math.inf)
            row["measured_us"] = min(fastest, step_us(args, nranks, row))
        for row in rows:
            print(f"{nranks} {row['step_us'] / 1e3:10.2f} {row['measured_us'] / 1e3:10.2f} "
                  f"{100 * (row['step_us'] / row['measured_us'] - 1):8.1f} %  {row['options']}")
        report(rows, nranks)
        everything += [(row["step_us"], row["measured_us"]) for row in rows]
    errors = [abs(p - m) / m for p, m in everything]
    print(f"# all: {len(everything)} layouts, mean absolute error "
          f"{100 * statistics.mean(errors):.1f} %, tau {kendall_tau(everything):.2f}")


if __name__ == "__main__":
    main()
