"""A picture of linerate topo --svg read again: where its shapes and texts are."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from machine_json import Json
from support import run, tool

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "reports"))

from svg import Box, Line  # noqa: E402
from topology import Picture  # noqa: E402

SHAPES = ("cpu", "switch", "gpu", "nic", "down", "nvswitch")
BOX = ("x", "y", "width", "height")
SVG = "{http://www.w3.org/2000/svg}"


class Page:
    """Where a picture's shapes and texts are, texts as wide as its own measure says."""

    def __init__(self, text: str) -> None:
        self.root = ET.fromstring(text)
        self.canvas = Box(0, 0, float(self.root.get("width")), float(self.root.get("height")))
        self.shapes = [(r.get("class"), Box(*(float(r.get(key)) for key in BOX)))
                       for r in self.root.iter(f"{SVG}rect") if r.get("class") in SHAPES]
        self.texts = [(t.text, _text_box(t)) for t in self.root.iter(f"{SVG}text")]
        self.words = [text for text, _ in self.texts]

    def links(self, look: str) -> list[str]:
        return [p.get("d") for p in self.root.iter(f"{SVG}path") if p.get("class") == look]


def _text_box(text: ET.Element) -> Box:
    style = "alert" if "alert" in text.get("class") else text.get("class").split()[0]
    line, x, y = Line(text.text or "", style), float(text.get("x")), float(text.get("y"))
    x -= {"start": 0, "middle": line.width / 2, "end": line.width}[text.get("text-anchor")]
    height = line.height / 1.3
    return Box(x, y - 0.76 * height, line.width, height)


def smaller(box: Box, by: float) -> Box:
    return Box(box.x + by, box.y + by, box.w - 2 * by, box.h - 2 * by)


def page_of(topology: Json) -> Page:
    return Page(Picture(topology).document())


def platform(name: str) -> Json:
    return json.loads(run([tool("linerate"), "topo", "--platform", name, "--json"]).stdout)
