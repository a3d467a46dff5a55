#!/usr/bin/env python3
"""How long linerate takes over a large study, of made-up results.

Usage: study_size.py [--bin DIR] [--files N] [--results N] [--page-results N] [--folder DIR]

Writes N files of JSON Lines with as many results each. Times their import into the file of a study,
its listing, its export and its page; then the page of as many files with fewer results each, which
linerate report reads itself. Prints seconds, processor seconds and memory of each command.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SIZES = [8 << power for power in range(25)]
TYPES = ("float", "half", "bfloat16", "double", "int32", "int64", "int8", "uint8", "uint32",
         "uint64")
CALLS = list(product(TYPES, ("sum", "max"), ("out_of_place", "in_place"), SIZES))
SETTINGS = {"NCCL_ALGO": (None, "Ring", "Tree", "NVLS"),
            "NCCL_PROTO": (None, "LL", "LL128", "Simple"),
            "NCCL_NCHANNELS": ("4", "8", "16"), "NCCL_IB_QPS_PER_CONNECTION": ("1", "4")}


def setting(number: int) -> dict[str, str | None]:
    """Of a case: each combination in turn, and then again."""
    combinations = list(product(*SETTINGS.values()))
    return dict(zip(SETTINGS, combinations[number % len(combinations)], strict=True))


def run_lines(number: int, nresults: int) -> list[dict]:
    """What all_reduce_perf writes, in short."""
    rng = random.Random(number)
    identity, factor = f"{number:016x}", 1 + number % 7 / 10
    when = f"2026-01-{1 + number % 28:02d}T00:00:00.000Z"
    lines = [{"kind": "run", "schema": 1, "run_id": identity, "start_time": when,
              "version": "0.2.0", "program": "all_reduce_perf", "args": [], "backend": "nccl",
              "environment": [f"{k}={v}" for k, v in setting(number).items() if v],
              "nranks": 16, "nnodes": 2, "settings": {"datatype": "float", "op": "sum"}}]
    for kind, redop, placement, size in CALLS[:nresults]:
        time_us = factor * rng.lognormvariate(0, 0.05) * (10 + size / 1e5)
        busbw = size / time_us / 1e3 * 1.875
        lines.append({"kind": "result", "run_id": identity,
                      "case": {"collective": "all_reduce", "type": kind, "redop": redop, "root": -1,
                               "placement": placement, "bytes": size, "count": size},
                      "group": 0, "nranks": 16, "nnodes": 2, "backend": "nccl", "wrong": 0,
                      "window": {"iters": 20, "agg": 1, "time_us": time_us, "slowest_us": time_us},
                      "algbw_gbps": busbw / 1.875, "busbw_gbps": busbw, "timestamp": when})
    return [*lines, {"kind": "end", "run_id": identity, "end_time": when, "exit_code": 0}]


def write_runs(folder: Path, nfiles: int, nresults: int) -> list[str]:
    folder.mkdir(parents=True)
    for number in range(nfiles):
        lines = run_lines(number, nresults)
        (folder / f"{number:04}.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))
    return sorted(map(str, folder.glob("*.jsonl")))


def as_of_a_sweep(study: Path) -> None:
    """Imported runs have no settings: these are given those that they ran with.

    Ids of cases count from 1 in the order of import, numbers of runs from 0.
    """
    with sqlite3.connect(study) as file:
        for case, in file.execute("SELECT id FROM cases").fetchall():
            file.execute("UPDATE cases SET variables = ? WHERE id = ?",
                         (json.dumps(setting(case - 1)), case))


def timed(what: str, command: list[str]) -> None:
    """A row. What it prints is thrown away; exits where it fails."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command[:4])} … ended with status {status}.")
    print(f"{what:<32} {time.monotonic() - start:8.1f} {used.ru_utime + used.ru_stime:12.1f} "
          f"{used.ru_maxrss / 1024:11.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--results", type=int, default=1000, help="of a file")
    parser.add_argument("--page-results", type=int, default=50, help="of a file that report reads")
    parser.add_argument("--folder", type=Path, help="where files are left: new or empty")
    args = parser.parse_args()
    if args.folder and args.folder.exists() and any(args.folder.iterdir()):
        parser.error(f"--folder {args.folder} holds files, which would be measured, too: give an "
                     "empty one.")
    with tempfile.TemporaryDirectory() as unused:
        folder = args.folder or Path(unused)
        linerate, study = str(args.bin / "linerate"), folder / "study.db"
        files = write_runs(folder / "runs", args.files, args.results)
        few = write_runs(folder / "few", args.files, args.page_results)
        print(f"{'':<32} {'seconds':>8} {'processor s':>12} {'memory MiB':>11}")
        imports = [word for file in files for word in ("--import", file)]
        timed(f"results --import, {len(files)} files", [linerate, "results", str(study), *imports])
        as_of_a_sweep(study)
        timed("results", [linerate, "results", str(study)])
        timed("results --csv", [linerate, "results", str(study), "--csv", str(folder / "all.csv")])
        timed("report of the study", [linerate, "report", str(study), "-o", str(folder / "study")])
        timed(f"report of {len(few)} files",
              [linerate, "report", *few, "-o", str(folder / "files")])


if __name__ == "__main__":
    main()
