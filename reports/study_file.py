"""Reads the file of linerate sweep, also while a sweep writes to it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from checked import MAX_WORD, printable
from runlog import BadInput
from study_data import Point, Settings, Study, What
from study_problems import Problems

APPLICATION, SCHEMA = 0x4C4E5254, 1
MAGIC = b"SQLite format 3\0"
MEASURED = ("ok", "slow")
MAX_RESULTS = 5_000_000
FOREIGN = "is no file of linerate sweep."
PAIRS = "collective LIKE 'p2p!_%' ESCAPE '!'"


def _is_study(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _settings(algorithm: str, backend: str, start: str, variables: str) -> Settings:
    named = {"algo": algorithm, "backend": backend, "start": start}
    found = json.loads(variables) if variables else {}
    named |= {str(name): "" if value is None else str(value) for name, value in found.items()}
    return tuple(sorted((_word(name), _word(value)) for name, value in named.items() if value))


def _read_cases(file: sqlite3.Connection, study: Study) -> dict[int, tuple[int, str]]:
    """Of each case that measured the index of its settings, and when it began."""
    indices: dict[Settings, int] = {}
    cases = {}
    problems = Problems()
    for (number, command, outcome, reason, algorithm, backend, start, variables, when, name,
         host, version) in file.execute(
            "SELECT id, command, outcome, reason, algorithm, backend, start, variables, "
            "start_time, study, hostname, version FROM cases ORDER BY id"):
        study.outcomes[printable(outcome)] += 1
        for fact, value in (("study", name), ("host", host), ("version", version)):
            if value:
                study.facts.setdefault(fact, set()).add(_word(value))
        if outcome != "ok":
            problems.add(printable(outcome), printable(reason), printable(command))
        if outcome in MEASURED:
            settings = _settings(algorithm, backend, start, variables)
            cases[number] = (indices.setdefault(settings, len(indices)), str(when))
    study.problems = problems.by_reason()
    study.settings = list(indices)
    return cases


def _read_results(file: sqlite3.Connection, study: Study,
                  cases: dict[int, tuple[int, str]]) -> None:
    whats: dict[tuple, dict[int, list[Point]]] = {}
    for case, *key, time_us, busbw in file.execute(
            "SELECT case_id, collective, type, redop, root, placement, bytes, nranks, nnodes, "
            "time_us, busbw_gbps FROM results "
            f"WHERE time_us > 1e-6 AND time_us < 1e15 AND ifnull(wrong, 0) = 0 AND NOT {PAIRS}"):
        if case not in cases:
            continue
        index, when = cases[case]
        by_settings = whats.setdefault(tuple(key), {})
        by_settings.setdefault(index, []).append(
            Point(case, when, float(time_us), float(busbw or 0)))
        study.nresults += 1
        if study.nresults > MAX_RESULTS:
            raise BadInput(f"{study.name} has more than {MAX_RESULTS} results, a page's most.")
    for key, found in whats.items():
        collective, type_, redop, root, placement, *counts = key
        size, nranks, nnodes = map(int, counts)
        if size > 0 and nranks > 0 and nnodes > 0:
            study.points[What(*map(_word, (collective, type_, redop)), int(root),
                              _word(placement), size, nranks, nnodes)] = found


def _word(text: str) -> str:
    return printable(text)[:MAX_WORD]


def read_study(path: Path) -> Study:
    """Raises BadInput. The file may be in use by a sweep."""
    try:
        file = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        file.execute("PRAGMA trusted_schema = OFF")
        if file.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise BadInput(f"{path} {FOREIGN}")
        schema = file.execute("PRAGMA user_version").fetchone()[0]
        if schema > SCHEMA:
            raise BadInput(f"{path} has tables of schema {schema}, and this version of linerate "
                           f"reads {SCHEMA}.")
        study = Study(printable(path.stem))
        _read_results(file, study, _read_cases(file, study))
        study.pair_records = [text for text, in file.execute(
            "SELECT records FROM cases WHERE outcome IN ('ok', 'slow') AND id IN "
            f"(SELECT case_id FROM results WHERE {PAIRS}) ORDER BY id DESC LIMIT 1")]
    except (sqlite3.Error, ValueError, TypeError, AttributeError, OverflowError,
            RecursionError) as problem:
        raise BadInput(f"{path} cannot be read: {problem}.") from problem
    if not study.outcomes:
        raise BadInput(f"{path} has no case yet.")
    return study


def study_of(paths: list[Path], formats: str) -> Study | None:
    """Of the one file, where it is a sweep's. Raises BadInput."""
    if not any(map(_is_study, paths)):
        return None
    if len(paths) > 1:
        raise BadInput("A file of linerate sweep is a page of its own: give it alone.")
    if formats != "html":
        raise BadInput("A file of linerate sweep becomes html only: leave --format out.")
    return read_study(paths[0])
