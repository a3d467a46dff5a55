"""Runs of one command, dealt to two sides again and again: how often is anything called different,
and how often is it once one side's times are scaled?

LINERATE_POOL=FOLDER keeps the runs, or uses those that are there. LINERATE_TURNS_AT is --turns,
LINERATE_STATISTIC is --statistic.
"""

import json
import os
import random
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from support import json_lines, main, run, tool

REPEATS = int(os.environ.get("LINERATE_REPEATS", "10"))  # of each side
POOL_REPEATS = int(os.environ.get("LINERATE_POOL_REPEATS", "20"))
COMPARISONS = int(os.environ.get("LINERATE_COMPARISONS", "100"))
TURNS = os.environ.get("LINERATE_TURNS_AT", "windows")
BLOCK = {"windows": 1, "runs": 2}[TURNS]  # repeats of each side
OPTIONS = os.environ.get("LINERATE_OPTIONS", "-b 64K -e 64M -f 4 -n 2 --stop max=0.6s")

Run = list[dict]


def measured(folder: Path) -> list[list[Run]]:
    """The two runs of each repeat."""
    if not (folder / "b.jsonl").exists():
        command = f'{tool("all_reduce_perf")} -t 2 {OPTIONS} --expect off'
        done = run([tool("linerate"), "compare", "--turns", TURNS, "--repeat", str(POOL_REPEATS),
                    "--run", command, "--run", command, "--keep", str(folder)], limit_s=7200)
        assert done.returncode == 0, done.stderr
    repeats: dict[int, dict[str, Run]] = {}
    for path in (folder / "a.jsonl", folder / "b.jsonl"):
        for line in json_lines(path):
            if line["kind"] == "run":
                runs = repeats.setdefault(line["repeat"], {})
            runs.setdefault(line["run_id"], []).append(line)
    return [list(runs.values()) for _, runs in sorted(repeats.items()) if len(runs) == 2]


def dealt(pool: list[list[Run]], dice: random.Random) -> dict[str, list[Run]]:
    """Neighbouring repeats as sides a and b: within each block by lot, as compare --run."""
    first = dice.randrange(len(pool) - REPEATS + 1)
    sides: dict[str, list[Run]] = {"a": [], "b": []}
    for start in range(first, first + REPEATS, BLOCK):
        runs = [one for repeat in pool[start:start + BLOCK] for one in repeat]
        dice.shuffle(runs)
        sides["a"] += runs[:BLOCK]
        sides["b"] += runs[BLOCK:]
    return sides


def scaled(line: dict, ratio: float, repeat: int) -> dict:
    if line["kind"] == "run":
        return line | {"study": "dealt", "repeat": repeat}
    if line["kind"] != "result":
        return line
    window, samples = dict(line["window"]), dict(line["samples_us"])
    window["time_us"] *= ratio
    for key in ("min", "median", "mean"):
        samples[key] *= ratio
    return line | {"window": window, "samples_us": samples}


def written(path: Path, runs: list[Run], ratio: float) -> str:
    with path.open("w") as file:
        for repeat, lines in enumerate(runs, 1):
            for line in lines:
                file.write(json.dumps(scaled(line, ratio, repeat), separators=(",", ":")) + "\n")
    return str(path)


class Power(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.pool = measured(Path(os.environ.get("LINERATE_POOL", self.folder / "pool")))

    def compared(self, ratio: float) -> tuple[Counter, Counter, int]:
        """Cases called different by size, all cases by size, and comparisons with any."""
        dice = random.Random(20240501)
        called: Counter = Counter()
        cases: Counter = Counter()
        with_any = 0
        for _ in range(COMPARISONS):
            sides = dealt(self.pool, dice)
            files = [written(self.folder / "a", sides["a"], 1),
                     written(self.folder / "b", sides["b"], ratio)]
            done = run([tool("linerate"), "compare", *files, "--json", "--statistic",
                        os.environ.get("LINERATE_STATISTIC", "auto")])
            found = 0
            for case in json.loads(done.stdout)["cases"]:
                differs = case["verdict"] in ("SLOWER", "FASTER")
                called[case["case"]["bytes"]] += differs
                cases[case["case"]["bytes"]] += 1
                found += differs
            with_any += found > 0
        return called, cases, with_any

    def test_runs_of_one_command_are_seldom_called_different(self) -> None:
        called, cases, with_any = self.compared(1)

        print(f"\n{len(self.pool)} repeats, {COMPARISONS} comparisons: {called.total()} of "
              f"{cases.total()} cases called different, in {with_any} comparisons")
        self.assertLessEqual(called.total(), cases.total() / 100)

    def test_scaled_times_are_found_as_far_as_this_machine_is_steady(self) -> None:
        for ratio in (1.03, 1.05, 1.3):
            called, cases, _ = self.compared(ratio)
            shares = ", ".join(f"{size >> 10}K {100 * called[size] / cases[size]:.0f}"
                               for size in sorted(cases))
            print(f"\n{100 * (ratio - 1):.0f} % slower found in % of cases: {shares}")
        self.assertGreater(called.total(), cases.total() / 2, "30 % more time")


if __name__ == "__main__":
    main()
