"""A launcher whose runs have made-up times: made_up_times.py COUNTER FAST RANKS PROGRAM ...

The program runs under mpirun; then its records say 20 us, or 10 us where the environment has one of
FAST (NAME or NAME=VALUE, between commas), and up to 4 % more, as the file COUNTER goes up.
"""

import os
import re
import subprocess
import sys
from pathlib import Path


def is_set(variable: str) -> bool:
    name, _, value = variable.partition("=")
    return name in os.environ and value in ("", os.environ[name])


def main(counter: str, fast: str, ranks: str, *program: str) -> int:
    done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", ranks,
                           *program], check=False)
    if done.returncode != 0:  # what mpirun says of it is worth more than the records' absence
        return done.returncode
    path = Path(counter)
    runs = int(path.read_text()) if path.exists() else 0
    path.write_text(str(runs + 1))
    us = (10 if any(map(is_set, fast.split(","))) else 20) * (1 + runs % 5 / 100)
    records = Path(program[program.index("--jsonl") + 1])
    records.write_text(re.sub('"(time_us|min|median)":[0-9.e+-]+', lambda key: f'"{key[1]}":{us}',
                              records.read_text()))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
