"""What linerate predicts, in the words of the harness."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

from nccl import Calls, Choice, clean

LINERATE = [str(Path(os.environ.get("LINERATE_BIN", "build/bin")) / "linerate")]
REDUCING = ("all_reduce", "reduce_scatter", "reduce")
FUNCTIONS = (*REDUCING, "all_gather", "broadcast")


def run(command: list[str], variables: dict[str, str]) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, env={**clean(), **variables},
                          check=False)


def predicted(machine: Path, version: str, nnodes: list[int], function: str,
              calls: Calls) -> dict[tuple[int, int], Choice] | None:
    """By nodes and bytes; None: linerate says that NCCL ends with an error."""
    operator = ["-o", calls.op] if function in REDUCING else []
    done = run([*LINERATE, "topo", "--nccl-xml", str(machine), "--nccl", version, "--predict",
                function, *operator, "-b", "64", "-e", "16G", "-f", "4", "--nodes",
                ",".join(map(str, nnodes)), "--json"], calls.variables)
    if done.returncode == 2 and "ends with an error" in done.stderr:
        return None
    if done.returncode != 0:
        raise RuntimeError(f"{done.args}: {done.returncode} {done.stderr}")
    rows = {}
    for row in json.loads(done.stdout)["rows"]:
        time_us = row.get("ncclmodel_time_us", row.get("time_us"))
        rows[row["nnodes"], row["bytes"]] = Choice(row["algorithm"], row["protocol"], time_us,
                                                   row["channels"])
    return rows


def different_channels(machine: Path, version: str, dump: Path) -> str:
    """What linerate finds otherwise than NCCL's dump says; empty: nothing."""
    done = run([*LINERATE, "topo", "--nccl-xml", str(machine), "--nccl", version, "--graphs",
                str(dump)], {})
    if done.returncode not in (0, 3):
        raise RuntimeError(f"{done.args}: {done.returncode} {done.stderr}")
    lines = done.stdout.splitlines()[1:] if done.returncode == 3 else []
    if version.startswith("2.18"):  # which GPU is a head where several are as near to a NIC
        lines = [line for line in lines if not re.search(": channel |: farthest path to", line)]
    return "".join(lines)
