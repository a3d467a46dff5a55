"""The page of a scaling study: scaling.py FOLDER reads linerate scale's JSON from stdin and writes
FOLDER/scaling.html and the pictures. Exit codes: 0 ok; 1 the folder cannot be written to; 5 a
library of Python is missing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

try:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    from looks import variables
    from scaling_figures import draw
except ImportError as missing:
    print(f"linerate scale: {missing}", file=sys.stderr)
    sys.exit(5)

TEMPLATES = Path(__file__).resolve().parent / "templates"
KINDS = {"efficiency": "Efficiency: the throughput of a rank against the baseline's",
         "step": "Where a step's time goes on rank 0",
         "exposed": "What compute waited for, by axis of the mesh"}


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _loss(share: float, what: str) -> str:
    return f"{_percent(abs(share))} {'lost to' if share >= 0 else 'won by'} {what}"


def _widest(table: dict) -> list[dict]:
    """The rows on the most ranks that have an efficiency and a core each, the best first."""
    rows = [row for row in table["rows"] if "efficiency" in row and not row["crowded"]]
    most = max((row["nranks"] for row in rows), default=0)
    return sorted((row for row in rows if row["nranks"] == most and most > table["base_nranks"]),
                  key=lambda row: -row["efficiency"]["median"])


def sentences(table: dict) -> list[str]:
    """The answer: how efficient, and what binds."""
    if not table["baseline"]:
        return ["No run on the fewest ranks ended well, so that there is nothing to compare with."]
    said = []
    for row in _widest(table):
        text = (f"{row['layout']} on {row['nranks']} ranks: "
                f"{_percent(row['efficiency']['median'])} efficient")
        lost = (row.get("lost_to_compute"), row.get("lost_to_communication"))
        if None not in lost:
            text += f"; {_loss(lost[0], 'compute')}, {_loss(lost[1], 'communication')}"
        said.append(text + ".")
    bad = [row for row in table["rows"] if row["outcome"] != "ok"]
    said += [f"{row['layout']} on {row['nranks']} ranks {row['outcome']}: {row['reason']}"
             for row in bad]
    return said or ["No layout ran on more ranks than the baseline with a core for each."]


def main() -> int:
    folder = Path(sys.argv[1])
    study = json.load(sys.stdin)
    tables = []
    for table in study["tables"]:
        pictures = [(title, Markup(draw(kind, table, folder / f"{table['scaling']}-{kind}.png")))
                    for kind, title in KINDS.items()
                    if any("step_us" in row for row in table["rows"])]
        tables.append({"table": table, "sentences": sentences(table), "pictures": pictures})
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True,
                              undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["percent"] = _percent
    style = variables() + (TEMPLATES / "page.css").read_text()
    page = environment.get_template("scaling.html.j2").render(
        title=study["title"], tables=tables, style=Markup(style))
    path = folder / "scaling.html"
    try:
        path.write_text(page)
    except OSError as problem:
        print(f"linerate scale: {problem}", file=sys.stderr)
        return 1
    print(f"the page is {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
