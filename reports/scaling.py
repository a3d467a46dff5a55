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
    from scaling_pipeline import pipelines
except ImportError as missing:
    print(f"linerate scale: {missing}", file=sys.stderr)
    sys.exit(5)

TEMPLATES = Path(__file__).resolve().parent / "templates"
KINDS = {"efficiency": "Efficiency: the throughput of a rank against the baseline's",
         "step": "Where a step's time goes on rank 0",
         "exposed": "What compute waited for, by axis of the mesh",
         "pipeline": "The last step of each pipeline as it ran, a line for each stage"}


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _loss(loss: dict) -> str:
    return ("" if loss["clear"] else "~") + _percent(loss["share"])


def _losses(row: dict) -> list[str]:
    """What is more than noise; nothing without a control."""
    said = []
    for what in ("compute", "communication"):
        loss = row.get(f"lost_to_{what}")
        if loss and loss["clear"]:
            word = "lost to" if loss["share"] >= 0 else "gained in"
            said.append(f"{_percent(abs(loss['share']))} {word} {what}")
    return said


def _ranks(row: dict) -> str:
    return f"{row['layout']} on {row['nranks']} rank{'s' if row['nranks'] > 1 else ''}"


def _widest(table: dict) -> list[dict]:
    """The rows on the most ranks that have an efficiency and a core each, the best first."""
    rows = [row for row in table["rows"] if "efficiency" in row and not row["oversubscribed"]]
    most = max((row["nranks"] for row in rows), default=0)
    return sorted((row for row in rows if row["nranks"] == most and most > table["base_nranks"]),
                  key=lambda row: -row["efficiency"]["median"])


def sentences(table: dict) -> list[str]:
    """The answer: how efficient, and what binds."""
    if not table["baseline"]:
        return ["No run on the fewest ranks ended well, so that there is nothing to compare with."]
    said = []
    for row in _widest(table):
        text = f"{_ranks(row)}: {_percent(row['efficiency']['median'])} efficient"
        said.append("; ".join([text, *_losses(row)]) + ".")
    said += [f"{_ranks(row)} {row['outcome']}: {row.get('reason', '')}"
             for row in table["rows"] if row["outcome"] in ("refused", "failed", "hung")]
    return said or ["No layout ran on more ranks than the baseline with a core for each."]


def _pictures(table: dict, folder: Path) -> list[tuple[str, Markup]]:
    if not any("step_us" in row for row in table["rows"]):
        return []
    return [(title, Markup(draw(kind, table, folder / f"{table['scaling']}-{kind}.png")))
            for kind, title in KINDS.items() if kind != "pipeline" or pipelines(table)]


def main() -> int:
    folder = Path(sys.argv[1])
    study = json.load(sys.stdin)
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True,
                              undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"percent": _percent, "loss": _loss}
    path = folder / "scaling.html"
    try:
        tables = [{"table": table, "sentences": sentences(table),
                   "pictures": _pictures(table, folder)} for table in study["tables"]]
        style = variables() + (TEMPLATES / "page.css").read_text()
        path.write_text(environment.get_template("scaling.html.j2").render(
            title=study["title"], facts=study["facts"], tables=tables, style=Markup(style)))
    except OSError as problem:
        print(f"linerate scale: {problem}", file=sys.stderr)
        return 1
    print(f"the page is {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
