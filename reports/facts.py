"""What runs say of their environment, and in what they differ."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from checked import MAX_TEXT, Object, printable
from records import Run
from sides import Side
from units import significant

# Keys in the order of the page, and their names where they are not clear.
NAMES = {
    "program": "program", "args": "command", "start_time": "started", "version": "linerate",
    "backend": "backend", "backend_version": "backend version", "transport": "transport",
    "tuning": "tuning", "emulated": "emulated network", "launcher": "launcher",
    "nranks": "ranks", "nnodes": "nodes", "nprocs": "processes", "nthreads": "threads",
    "ngpus": "devices per thread", "ngroups": "groups", "cpu_model": "CPU", "ncores": "cores",
    "init_us": "time to connect (µs)",
}
# Not facts, or told elsewhere.
LEFT_OUT = frozenset({"kind", "schema", "run_id", "study", "repeat", "ranks", "memory", "network",
                      "environment", "settings"})
# Differ from run to run, and explain nothing.
INCIDENTAL = frozenset({"start_time", "args", "program", "init_us", "timing", "repeat"})
MAX_FACTS = 400
MAX_DEPTH = 6


@dataclass(frozen=True)
class Facts:
    """Of one side, by its first run."""

    label: str
    facts: list[tuple[str, str]]
    settings: list[tuple[str, str]]
    variables: list[tuple[str, str]]
    ranks: list[dict[str, str]]


def text_of_value(value: object) -> str:
    if isinstance(value, float):
        return significant(value, 6) if value else "0"
    if isinstance(value, list):
        return printable(" ".join(map(str, value)))[:MAX_TEXT]
    return printable(value if isinstance(value, str) else json.dumps(value))[:MAX_TEXT]


def _flat(info: Object, before: str = "") -> Iterator[tuple[str, str]]:
    """Nested objects as one level: timing.clock_cost_ns; lists of objects are no facts."""
    for key, value in info.items():
        name = f"{before}{key}"
        if isinstance(value, dict):
            if before.count(".") < MAX_DEPTH:
                yield from _flat(value, f"{name}.")
        elif value is not None and not (
                isinstance(value, list) and any(isinstance(v, (dict, list)) for v in value)):
            yield name, text_of_value(value)


def _name_of(key: str) -> str:
    return printable(NAMES.get(key, key.replace("_", " ").replace(".", ", ")))


def _facts(run: Run) -> list[tuple[str, str]]:
    known = {key: run.info[key] for key in NAMES if run.info.get(key) not in (None, 0)}
    others = {k: v for k, v in run.info.items() if k not in NAMES and k not in LEFT_OUT}
    found = [(_name_of(key), text) for key, text in _flat(known | others) if text]
    return found[:MAX_FACTS]


def _pairs(value: object) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return list(_flat(value))[:MAX_FACTS]
    lines = value if isinstance(value, list) else []
    parts = (printable(str(line)[:MAX_TEXT]).partition("=") for line in lines[:MAX_FACTS])
    return [(name, text) for name, _, text in parts]


def _ranks(run: Run) -> list[dict[str, str]]:
    ranks = run.info.get("ranks")
    rows = [r for r in ranks if isinstance(r, dict)] if isinstance(ranks, list) else []
    return [{printable(k): text_of_value(v) for k, v in row.items()} for row in rows[:1024]]


def facts_of(side: Side) -> Facts:
    run = side.first
    return Facts(side.label, _facts(run), _pairs(run.info.get("settings")),
                 _pairs(run.info.get("environment")), _ranks(run))


def _comparable(run: Run) -> dict[str, str]:
    own = {k: v for k, v in run.info.items() if k not in LEFT_OUT and k not in INCIDENTAL}
    found = {_name_of(key): text for key, text in _flat(own)}
    found |= {f"setting {key}": text for key, text in _pairs(run.info.get("settings"))}
    found |= dict(_pairs(run.info.get("environment")))
    hosts = dict.fromkeys(row.get("hostname", "") for row in _ranks(run))
    return found | ({"hosts": " ".join(filter(None, hosts))} if any(hosts) else {})


def differences_of(sides: list[Side]) -> list[tuple[str, list[str]]]:
    """What is not the same on all sides, by the first run of each."""
    all_facts = [_comparable(side.first) for side in sides]
    keys = dict.fromkeys(key for facts in all_facts for key in facts)
    rows = [(key, [facts.get(key, "") for facts in all_facts]) for key in keys]
    return [(key, values) for key, values in rows if len(set(values)) > 1][:MAX_FACTS]
