"""Writes report.html: one page that needs nothing but itself."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from figures import Chart
from records import Run
from series import run_labels
from summary import summary_of, title_of, warnings_of
from tables import Table, table_of
from units import significant

# What the run line says, in the order of the page; absent values are left out.
FACTS = (
    ("program", "program"),
    ("args", "command"),
    ("start_time", "started"),
    ("version", "linerate"),
    ("backend", "backend"),
    ("backend_version", "backend version"),
    ("transport", "transport"),
    ("launcher", "launcher"),
    ("nranks", "ranks"),
    ("nnodes", "nodes"),
    ("nprocs", "processes"),
    ("cpu_model", "CPU"),
    ("ncores", "cores"),
    ("init_us", "initialisation (µs)"),
)


@dataclass(frozen=True)
class Section:
    """One run, ready for the template."""

    label: str
    summary: list[str]
    warnings: list[str]
    table: Table
    facts: list[tuple[str, str]]
    settings: list[tuple[str, str]]
    variables: list[tuple[str, str]]
    ranks: list[dict[str, object]]


def _text(value: object) -> str:
    if isinstance(value, float):
        return significant(value, 6)
    if isinstance(value, list):
        return " ".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value)


def _facts(run: Run) -> list[tuple[str, str]]:
    facts = [(name, _text(run.info[key])) for key, name in FACTS if run.info.get(key) is not None]
    timing = run.info.get("timing")
    for key, value in timing.items() if isinstance(timing, dict) else ():
        name, _, unit = key.rpartition("_")
        facts.append((f"{name.replace('_', ' ')} ({unit.replace('us', 'µs')})", _text(value)))
    return facts


def _pairs(value: object) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [(str(name), _text(setting)) for name, setting in value.items()]
    lines = value if isinstance(value, list) else []
    return [(name, text) for name, _, text in (str(line).partition("=") for line in lines)]


def _section(label: str, run: Run) -> Section:
    ranks = run.info.get("ranks")
    return Section(
        label=label,
        summary=summary_of(run),
        warnings=warnings_of(run),
        table=table_of(run),
        facts=_facts(run),
        settings=_pairs(run.info.get("settings")),
        variables=_pairs(run.info.get("environment")),
        ranks=[r for r in ranks if isinstance(r, dict)] if isinstance(ranks, list) else [],
    )


def write_page(runs: list[Run], charts: list[Chart], path: Path) -> None:
    """Charts are embedded as SVG; every text from the input is escaped."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).resolve().parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    images = [(c, base64.b64encode(c.svg.encode()).decode("ascii")) for c in charts]
    sections = [_section(label, run) for label, run in zip(run_labels(runs), runs, strict=True)]
    page = environment.get_template("page.html.j2").render(
        title=title_of(runs), sections=sections, images=images
    )
    path.write_text(page, encoding="utf-8")
