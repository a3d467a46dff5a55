"""Writes report.html, one page that needs nothing but itself, and report.md."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from contents import Contents
from curve_chart import draw_panel
from looks import chart_style, variables
from panels import Panel
from quantities import QUANTITIES
from ratio_chart import RatioPanel, draw_ratio
from raw import raw_files
from scene_svg import svg_of
from tips import panel_tips, ratio_tips
from units import factor, significant

MAX_PAGE_BYTES = 3_000_000  # that raw data may fill
RAW_PLACE = "\0raw\0"  # no text of a run has such characters
OPTION = re.compile(r"(?<![^\s(])--?[a-zA-Z][\w-]*")
FOLDER = Path(__file__).resolve().parent / "templates"


class Tips:
    """Texts that are shown when something is pointed at, each once in the page."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}

    def index(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def json(self) -> str:
        """For a script element, which no text may end."""
        return json.dumps(list(self.texts)).replace("<", "\\u003c")


@dataclass(frozen=True)
class Picture:
    """A chart for the page: its class, and drawings by class, of which a switch shows one."""

    look: str
    drawings: list[tuple[str, str]]


def _pictures(panel: Panel, tips: Tips) -> list[Picture]:
    """Of each quantity."""
    said = [tips.index(text) for text in panel_tips(panel)]
    return [Picture(quantity.key, [
        ("log" if log else "linear", svg_of(draw_panel(panel, quantity, log), said))
        for log in (False, True)
    ]) for quantity in QUANTITIES]


def _ratio_picture(panel: RatioPanel, tips: Tips) -> Picture:
    said = [tips.index(text) for text in ratio_tips(panel)]
    return Picture("", [("", svg_of(draw_ratio(panel), said))])


@cache
def templates(autoescape: bool) -> Environment:
    environment = Environment(loader=FileSystemLoader(FOLDER), autoescape=autoescape,
                              undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"cell": _markdown_cell, "options": _options, "significant": significant,
                            "factor": factor}
    return environment


def _options(text: str) -> Markup:
    """For the page: no line breaks within the name of an option."""
    return Markup(OPTION.sub(r'<span class="option">\g<0></span>', str(escape(text))))


def _hash(script: str) -> str:
    """For the page's policy: no other script runs in it."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def write_page(contents: Contents, path: Path) -> None:
    """Every text from the input is escaped."""
    script = (FOLDER / "page.js").read_text(encoding="utf-8")
    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    tips, drawings = Tips(), contents.drawings
    environment = templates(True)
    page = environment.get_template("page.html.j2").render(
        contents=contents,
        pictures=[p for panel in drawings.panels for p in _pictures(panel, tips)],
        ratios=[_ratio_picture(panel, tips) for panel in drawings.ratios],
        tips=tips,
        style=variables() + chart_style(embedded=True) + style,
        script=script,
        script_hash=_hash(script),
        raw_place=RAW_PLACE,
    )
    files = raw_files(contents.runs, MAX_PAGE_BYTES - len(page.encode()))
    raw = environment.get_template("raw.html.j2").render(files=files)
    path.write_text(page.replace(RAW_PLACE, raw), encoding="utf-8")


def _markdown_cell(text: object) -> str:
    """A bar would end the cell, and a sign of HTML begin a tag."""
    replaced = str(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    return " ".join(replaced.split())


def write_markdown(contents: Contents, path: Path) -> None:
    text = templates(False).get_template("report.md.j2").render(contents=contents)
    path.write_text(text, encoding="utf-8")
