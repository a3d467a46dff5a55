"""Reads linerate's JSON Lines: runs with their results, or one sentence that says why not."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from checked import MAX_WORD, Object, printable
from expected import finding_of
from records import Run, result_of, why_no_results

SCHEMA = 1
MAX_FILE_BYTES = 1 << 30
MAX_LINE_BYTES = 64 << 20  # a line with --samples and a million of them is near 20 MB
MAX_RESULTS = 200_000
MAX_RUNS = 1000
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
# What a damaged line can raise while it is parsed and read.
DAMAGE = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
OTHER_TEXT = " --jsonl writes them; of other programs' tables, linerate compare reads some."


class BadInput(Exception):
    """What is wrong with an input file, as a sentence of one line, whatever the file holds."""

    def __init__(self, sentence: str) -> None:
        super().__init__(printable(sentence))


class NoResults(BadInput):
    """The file is as it should be, but its runs ended before their first result."""


def _parse(text: bytes) -> Object:
    value = json.loads(text, parse_constant=lambda name: math.nan)
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        raise ValueError("it is not a JSON object with a kind")
    return _without_surrogates(value) if SURROGATE.search(text) else value


def _without_surrogates(value: Any) -> Any:
    """Halves of pairs, which JSON may hold and no file can, become replacement characters."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_without_surrogates(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {_without_surrogates(k): _without_surrogates(v) for k, v in value.items()}


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        if not path.is_file():
            folder = "a folder: give the files in it"
            raise BadInput(f"{path} is {folder if path.is_dir() else 'not a file'}.")
        if path.stat().st_size > MAX_FILE_BYTES:
            raise BadInput(f"{path} is larger than {MAX_FILE_BYTES >> 20} MiB.")
        with path.open("rb") as file:
            number = 0
            while text := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(text) > MAX_LINE_BYTES:
                    raise BadInput(f"{path}: line {number} is over {MAX_LINE_BYTES >> 20} MiB.")
                yield number, text
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error


def _add(runs: dict[str, Run], path: Path, line: Object) -> None:
    kind, run_id = line["kind"], str(line.get("run_id"))[:MAX_WORD]
    if kind == "run":
        if line.get("schema") != SCHEMA:
            raise ValueError(f"schema {line.get('schema')} is not the {SCHEMA} that I read")
        runs[run_id] = Run(path, line)
    elif kind == "finding" and run_id in runs:  # those of a machine belong to no run
        runs[run_id].findings.append(finding_of(line))
    elif kind in ("result", "end"):
        if run_id not in runs:
            raise ValueError(f"its run_id {run_id} has no run line")
        if kind == "end":
            runs[run_id].settle(line)
        else:
            runs[run_id].results.append(result_of(line))


def _reason(error: Exception) -> str:
    """Without positions inside the line, which read like the line's own number."""
    if isinstance(error, KeyError):
        return f"{error} is missing"
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    return "it is no text in UTF-8" if isinstance(error, UnicodeError) else str(error)


def read_runs(path: Path) -> list[Run]:
    """The runs of one file that hold results. Raises BadInput. Unknown kinds are skipped."""
    runs: dict[str, Run] = {}
    for number, text in ((at, text) for at, text in _lines(path) if text.strip()):
        try:
            _add(runs, path, _parse(text))
        except DAMAGE as error:
            if not text.endswith(b"\n") and runs:
                list(runs.values())[-1].torn = True
                break
            where = f"{path} is not linerate's JSON Lines: line {number}: {_reason(error)}."
            hint = "" if runs or text.lstrip().startswith(b"{") else OTHER_TEXT
            raise BadInput(where + hint) from None
        if number > MAX_RESULTS or len(runs) > MAX_RUNS:
            raise BadInput(f"{path} has more than {MAX_RESULTS} lines or {MAX_RUNS} runs.")
    if not runs:
        raise NoResults(f"{path} is empty.")
    if with_results := [run for run in runs.values() if run.results]:
        return with_results
    why = why_no_results(list(runs.values()))
    raise NoResults(f"{path} has a run line but no result: {why}")
