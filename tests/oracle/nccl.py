"""NCCL's own search and tuning: built from its source, and run on described machines."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = "LINERATE_NCCL_SOURCE"  # a git directory or a checkout of NVIDIA/nccl
TAGS = "LINERATE_NCCL_TAGS"  # which to compare with, separated by blanks
DEFAULT_TAGS = "v2.18.6-1 v2.21.5-1 v2.26.6-1 v2.28.9-1 v2.30.7-1"
BUILT = "LINERATE_ORACLE"  # where the harnesses are kept


@dataclass(frozen=True)
class Choice:
    """None of the first two: NCCL finds nothing to do the call with."""

    algorithm: str | None
    protocol: str | None
    time_us: float
    channels: int


@dataclass
class Found:
    """What a harness prints; refused: NCCL ends with an error before any call."""

    refused: bool = False
    coll_channels: int = 0
    nvls_channels: int = 0
    rows: dict[tuple[str, int], Choice] = field(default_factory=dict)


def why_not() -> str | None:
    if not os.environ.get(SOURCE):
        return f"{SOURCE} names no git directory of NVIDIA/nccl"
    cuda = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    if not (cuda / "include" / "cuda_runtime.h").exists():
        return f"CUDA's headers are not in {cuda}: set CUDA_HOME"
    return None


def tags() -> list[str]:
    return os.environ.get(TAGS, DEFAULT_TAGS).split()


def version_of(tag: str) -> str:
    return tag.removeprefix("v").split("-")[0]


def harness_of(tag: str) -> Path:
    """Built once, and anew when a file of the harness is newer."""
    harness = Path(os.environ.get(BUILT, HERE / "built")) / tag
    sources = (*HERE.glob("*.cc"), *HERE.glob("*.h"), HERE / "build.sh")
    newest = max(file.stat().st_mtime for file in sources)
    if not harness.exists() or harness.stat().st_mtime < newest:
        subprocess.run([HERE / "build.sh", os.environ[SOURCE], tag, harness], check=True)
    return harness


@dataclass(frozen=True)
class Calls:
    """Of float; `op` of those that reduce, with that environment."""

    variables: dict[str, str] = field(default_factory=dict)
    op: str = "sum"

    def __str__(self) -> str:
        return f"{self.op} {self.variables or ''}"


def found_by(harness: Path, machine: Path, nnodes: int, calls: Calls) -> Found:
    done = subprocess.run([harness, machine, str(nnodes), calls.op], capture_output=True, text=True,
                          env={**clean(), **calls.variables}, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{harness} {machine} {nnodes}: {done.returncode} {done.stdout[-500:]}")
    found = Found()
    for line in done.stdout.splitlines():
        match line.split():
            case ["refused"]:
                found.refused = True
            case ["channels", coll, nvls]:
                found.coll_channels, found.nvls_channels = int(coll), int(nvls)
            case ["row", name, size, algorithm, protocol, time_us, channels]:
                choice = Choice(None if algorithm == "none" else algorithm,
                                None if protocol == "none" else protocol, float(time_us),
                                int(channels))
                found.rows[name, int(size)] = choice
    return found


def clean() -> dict[str, str]:
    """The environment without NCCL's variables."""
    return {name: value for name, value in os.environ.items() if not name.startswith("NCCL_")}
