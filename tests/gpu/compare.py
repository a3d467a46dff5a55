"""linerate's times beside nccl-tests', size by size: medians of runs that take turns.

compare.py --seconds S --jsonl FILE [--host-time] NCCL_TESTS_PROGRAM LINERATE_PROGRAM -- OPTION...

Runs both with OPTION... in turn until S seconds have passed, at least three times each. Out of
place, linerate's median must be within 1 % of nccl-tests' from 4 MiB on, and with -D, where each
has kernels of its own, at most 1 % above it; with --host-time, which is for -C 1, in place at most
0.1 us above it. Exit code 1: a size is outside; 2: a program failed, or
the two print different sizes. FILE gets a line for each size.
"""

import argparse
import json
import shlex
import subprocess
import sys
import time
from pathlib import Path

from judged_times import HEADING, judged_times, judgement, text_of

AS_NCCL_TESTS = ["--backend", "nccl", "--expect", "off", "--nccl-tests-config"]
MIN_ROUNDS = 3
RUN_LIMIT_S = 60

Times = dict[int, tuple[list[float], list[float]]]  # by size: us out of place, us in place


class Failed(Exception):
    """A program did not do what it was started for."""


def add_rows(table: str, times: Times) -> None:
    """The rows of a table: size, count, type, redop, root, and twice time, algbw, busbw, wrong.
    nccl-tests' hypercube has no redop."""
    for tokens in map(str.split, table.splitlines()):
        if len(tokens) not in (12, 13) or not tokens[0].isdigit():
            continue
        if not {tokens[-5], tokens[-1]} <= {"0", "N/A"}:
            raise Failed(f"wrong data: {' '.join(tokens)}")
        out_of_place, in_place = times.setdefault(int(tokens[0]), ([], []))
        out_of_place.append(float(tokens[-8]))
        in_place.append(float(tokens[-4]))


def run(command: list[str], times: Times) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_LIMIT_S,
                              stdin=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(str(error)) from error
    if done.returncode != 0:
        said = (done.stdout + done.stderr)[-2000:]
        raise Failed(f"exit {done.returncode}: {shlex.join(command)}\n{said}")
    add_rows(done.stdout, times)


def measure(theirs: list[str], ours: list[str], seconds: float) -> tuple[int, Times, Times]:
    """How many rounds fitted, and the times of each program; they begin a round in turn."""
    start, longest_s, rounds = time.monotonic(), 0.0, 0
    order: list[tuple[list[str], Times]] = [(theirs, {}), (ours, {})]
    (_, theirs_us), (_, ours_us) = order
    while rounds < MIN_ROUNDS or time.monotonic() - start + longest_s <= seconds:
        began = time.monotonic()
        for command, times in order:
            run(command, times)
        order.reverse()
        longest_s = max(longest_s, time.monotonic() - began)
        rounds += 1
    if not theirs_us or theirs_us.keys() != ours_us.keys():
        raise Failed(f"the sizes differ: theirs {sorted(theirs_us)}, ours {sorted(ours_us)}")
    return rounds, theirs_us, ours_us


def compare(args: argparse.Namespace) -> int:
    """Prints and writes every size; yields the exit code."""
    theirs = [args.nccl_tests, *args.options]
    ours = [args.linerate, *AS_NCCL_TESTS, *args.options]
    about = {"tool": Path(args.linerate).name, "options": shlex.join(args.options),
             "theirs": shlex.join(theirs), "ours": shlex.join(ours)}
    rounds, theirs_us, ours_us = measure(theirs, ours, args.seconds)

    print(f"theirs: {about['theirs']}\nours:   {about['ours']}\nmedians of {rounds} runs")
    print(HEADING)
    njudged, outside = 0, []
    with args.jsonl.open("a") as file:
        for size in sorted(theirs_us):
            out_of_place, in_place = map(judged_times, theirs_us[size], ours_us[size])
            judged = judgement(size, out_of_place, in_place, host_time=args.host_time,
                               own_kernels="-D" in args.options)
            njudged += judged != "not judged"
            outside += [f"{size} ({out_of_place.ratio:.4f})"] if judged == "outside" else []
            print(text_of(size, out_of_place, in_place, judged))
            file.write(json.dumps(about | {
                "rounds": rounds, "size": size, "judgement": judged,
                "out_of_place": out_of_place.record(), "in_place": in_place.record()}) + "\n")
    limits = "0.1 us of host time" if args.host_time else "0.99 to 1.01, from 4 MiB on"
    print(f"{len(outside)} of {njudged} sizes outside {limits}{': ' if outside else ''}"
          f"{', '.join(outside)}")
    return 1 if outside else 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--jsonl", type=Path, required=True)
    parser.add_argument("--host-time", action="store_true")
    parser.add_argument("nccl_tests")
    parser.add_argument("linerate")
    parser.add_argument("options", nargs="+")
    try:
        return compare(parser.parse_args())
    except Failed as failure:
        print(f"compare.py: {failure}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
