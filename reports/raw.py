"""The files behind a page: they travel within it as long as there is room."""

from __future__ import annotations

import base64
import gzip
from dataclasses import dataclass
from pathlib import Path

from checked import printable
from records import Run

MAX_READ_BYTES = 32 << 20


@dataclass(frozen=True)
class RawFile:
    """`address` downloads it; empty where it is too large for the page."""

    name: str
    size: int
    address: str


def _compressed(path: Path) -> bytes | None:
    """The same bytes for the same file."""
    try:
        if path.stat().st_size > MAX_READ_BYTES:
            return None
        return gzip.compress(path.read_bytes(), mtime=0)
    except OSError:
        return None


def raw_files(runs: list[Run], room: int) -> list[RawFile]:
    """Each file of the runs once; the addresses of all have up to `room` characters."""
    files = []
    for path in dict.fromkeys(run.path for run in runs):
        packed = _compressed(path)
        address = ""
        if packed is not None:
            address = f"data:application/gzip;base64,{base64.b64encode(packed).decode('ascii')}"
        if len(address) > room:
            address = ""
        room -= len(address)
        size = path.stat().st_size if path.exists() else 0
        files.append(RawFile(printable(path.name), size, address))
    return files
