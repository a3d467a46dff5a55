"""The state in a checkpoint of the trainers, as arrays by name: parameters and moments."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

KINDS = ("master", "m", "v")
TYPES = {"float": np.float32, "double": np.float64}


@dataclass(frozen=True)
class Saved:
    """State after `step` steps; `kinds["m"]["norm.weight"]` is the first moment of that one."""

    step: int
    kinds: dict[str, dict[str, np.ndarray]]


def _newest(folder: Path) -> Path:
    steps = [path for path in folder.iterdir() if path.is_dir() and path.suffix != ".partial"]
    return max(steps, key=lambda path: path.name)


def read_saved(folder: Path) -> Saved:
    """Of a step's folder, or of the newest step in it. A damaged one raises ValueError."""
    if not (folder / "manifest.json").is_file():
        folder = _newest(folder)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    files = [(folder / f"rank-{i:05}.bin").read_bytes() for i in range(len(manifest["files"]))]
    tensors = manifest["tensors"]
    flat = {kind: [np.zeros(0)] * len(tensors) for kind in KINDS}
    for chunk in manifest["chunks"]:
        dtype = np.dtype(TYPES[chunk["type"]])
        begin, index, count = chunk["offset"], chunk["index"], chunk["count"]
        data = files[chunk["file"]][begin:begin + count * dtype.itemsize]
        if zlib.crc32(data) != chunk["crc32"]:
            raise ValueError(f"{folder}: a chunk of {tensors[chunk['tensor']]['name']} is damaged")
        arrays = flat[chunk["kind"]]
        if arrays[chunk["tensor"]].size == 0:
            arrays[chunk["tensor"]] = np.zeros(np.prod(tensors[chunk["tensor"]]["shape"]), dtype)
        arrays[chunk["tensor"]][index:index + count] = np.frombuffer(data, dtype)
    return Saved(manifest["step"],
                 {kind: {row["name"]: array.reshape(row["shape"])
                         for row, array in zip(tensors, arrays, strict=True)}
                  for kind, arrays in flat.items()})
