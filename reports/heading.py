"""The head of a page: what was measured, where and when."""

from __future__ import annotations

import re
from dataclasses import dataclass

from answer import Answer
from checked import MAX_WORD, printable
from labels import setup_of
from records import Run
from sides import Side
from units import format_collective

MAX_NAMES = 3
TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)")
SHORT = {"ok": "as fast as it should be", "low": "slower than it should be", "wrong": "wrong data",
         "failed": "did not finish", "unsure": "not sure", "above": "above the expectation",
         "unknown": ""}


@dataclass(frozen=True)
class Heading:
    """`title` names the page, `tab` also the day and the answer; `facts` stand below the title."""

    title: str
    tab: str
    facts: list[str]


def _some(names: list[str], noun: str) -> str:
    distinct = list(dict.fromkeys(name for name in names if name))
    if len(distinct) <= MAX_NAMES:
        return ", ".join(distinct)
    return f"{len(distinct)} {noun}"


def _word(run: Run, key: str) -> str:
    value = run.info.get(key)
    return printable(str(value)[:MAX_WORD]) if isinstance(value, (str, int)) else ""


def _ranks(run: Run) -> list[dict[str, object]]:
    ranks = run.info.get("ranks")
    return [r for r in ranks if isinstance(r, dict)] if isinstance(ranks, list) else []


def _hosts(runs: list[Run]) -> list[str]:
    hosts = [r.get("hostname") for run in runs for r in _ranks(run)]
    hosts += [run.info.get("hostname") for run in runs]
    return [printable(host[:MAX_WORD]) for host in hosts if isinstance(host, str)]


def _devices(runs: list[Run]) -> list[str]:
    devices = [r.get("device_name") for run in runs for r in _ranks(run)]
    return [printable(d[:MAX_WORD]) for d in devices if isinstance(d, str)]


def _dates(runs: list[Run]) -> str:
    """From the first to the last, to the minute."""
    found = sorted({f"{m[1]} {m[2]}" for run in runs
                    if (m := TIME.match(_word(run, "start_time")))})
    if not found:
        return ""
    first, last = found[0], found[-1]
    if first == last:
        return f"{first} UTC"
    return f"{first} to {last[11:] if first[:10] == last[:10] else last} UTC"


def _what(runs: list[Run]) -> str:
    results = [r for run in runs for r in run.results]
    names = [r.collective for r in results if not r.pair and not r.copy]
    what = [_some([format_collective(name) for name in names], "collectives")]
    if any(r.pair and not r.copy for r in results):
        what.append("pairs of ranks")
    if any(r.copy for r in results):
        what.append("memory copies")
    return " and ".join(filter(None, what))


def heading_of(runs: list[Run], sides: list[Side], given: str, answers: list[Answer]) -> Heading:
    what, hosts = _what(runs), _some(_hosts(runs), "hosts")
    where = f" on {hosts}" if hosts else ""
    compared = f", {len(sides)} compared" if len(sides) > 1 else ""
    title = printable(given) or f"{what}{where}{compared}"
    facts = [_dates(runs), f"{what}{where}" if given else "",
             _some([setup_of(run) for run in runs], "setups"),
             _some(_devices(runs), "kinds of devices") or _some(
                 [_word(run, "cpu_model") for run in runs], "kinds of CPU"),
             _some([f"linerate {_word(run, 'version')}" for run in runs], "versions of linerate"),
             _some([printable(run.path.name) for run in runs], "files")]
    state = SHORT[answers[0].state] if len(answers) == 1 else ""
    tab = " · ".join(filter(None, (title, facts[0][:10], state)))
    return Heading(title, tab, [fact for fact in facts if fact])
