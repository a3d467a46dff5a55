"""Writes pictures as files: busbw, latency, ratio and pairs, as SVG or PNG."""

from __future__ import annotations

from pathlib import Path

from drawings import Drawings
from looks import level_style
from scene_svg import svg_document


def write_pictures(drawings: Drawings, folder: Path, suffix: str) -> list[Path]:
    """One file for each kind of chart that there is. Only PNG needs matplotlib."""
    written = []
    for name, scene in drawings.scenes().items():
        path = folder / f"{name}.{suffix}"
        if suffix == "svg":
            path.write_text(svg_document(scene, level_style()), encoding="utf-8")
        else:
            from scene_png import write_png

            write_png(scene, path)
        written.append(path)
    return written
