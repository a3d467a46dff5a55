"""memcpy_perf's results in its own words: from where, to where, by which engine, GB/s."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from copy_cell import MEMCPY
from looks import level_of
from problems import WIDE_INTERVAL
from records import Result
from sides import Side
from units import figures, format_bytes, format_gbps, significant

# What the words of a test's name say.
WORDS = {
    "h2d": "host to GPU",
    "d2h": "GPU to host",
    "host_bidir": "host and GPU, both ways at once",
    "local": "within a GPU, bytes read plus bytes written",
    "d2d_read": "GPU to GPU, the target reads",
    "d2d_write": "GPU to GPU, the source writes",
    "d2d_bidir_read": "GPU to GPU both ways at once, each reads",
    "d2d_bidir_write": "GPU to GPU both ways at once, each writes",
    "host_to_all": "host to all GPUs at once",
    "all_to_host": "all GPUs to host at once",
    "all_host_bidir": "host and all GPUs, both ways at once",
    "into_one_write": "into one GPU from all others, they write",
    "into_one_read": "into one GPU from all others, it reads",
    "from_one_write": "from one GPU into all others, it writes",
    "from_one_read": "from one GPU into all others, they read",
    "host_copy": "within the host's memory, one thread, bytes read plus bytes written",
    "host_copy_all": "within the host's memory, a thread on each core, "
                     "bytes read plus bytes written",
}
ENGINES = {"ce": "copy engine", "sm": "kernel", "cpu": "CPU"}


@dataclass(frozen=True)
class CopyCell:
    text: str  # GB/s
    level: int
    tip: str


@dataclass(frozen=True)
class CopyTest:
    """One test's matrix: what copies go where, and how fast."""

    name: str
    words: str
    engine: str
    bytes: str
    rows: list[str]
    columns: list[str]
    cells: dict[tuple[str, str], CopyCell]
    sentence: str


def _sentence(cells: dict[tuple[str, str], float]) -> str:
    best, worst = (f(cells, key=lambda k: cells[k]) for f in (max, min))
    if len(cells) == 1:
        return format_gbps(cells[best])

    def named(key: tuple[str, str]) -> str:
        return f"{' → '.join(part for part in key if part)} {format_gbps(cells[key])}"
    if cells[worst] > 0.95 * cells[best]:
        return f"all {len(cells)} within 5 %: {format_gbps(median(cells.values()))}"
    part = significant(100 * cells[worst] / cells[best], 2)
    return f"fastest {named(best)}; slowest {named(worst)}, {part} % of it"


def _tip(result: Result) -> str:
    lines = [format_gbps(result.busbw_gbps)]
    samples = result.samples
    if samples:
        lines.append(f"median of {samples.n} samples")
        if samples.interval:
            low, high = samples.interval
            if (high - low) / 2 / samples.median > WIDE_INTERVAL:
                lines.append("the samples vary by more than 10 %")
    if result.wrong is not None:
        lines.append(f"{result.wrong} wrong elements" if result.wrong else "data checked")
    return "\n".join(lines)


def _test(name: str, results: list[Result]) -> CopyTest:
    placed = {(r.copy.row, r.copy.column): r for r in results if r.copy}
    speeds = {key: result.busbw_gbps for key, result in placed.items()}
    best, worst = max(speeds.values()), min(speeds.values())
    span = best / worst if worst > 0 else math.inf
    cells = {
        key: CopyCell(figures(r.busbw_gbps), level_of(best / r.busbw_gbps, span)
                      if r.busbw_gbps > 0 else 0, _tip(r))
        for key, r in placed.items()
    }
    engine = results[0].copy.engine if results[0].copy else ""
    bare = name.removesuffix(f"_{engine}") if engine else name
    return CopyTest(
        name, WORDS.get(bare, bare.replace("_", " ")), ENGINES.get(engine, engine),
        format_bytes(results[0].bytes), list(dict.fromkeys(row for row, _ in cells)),
        list(dict.fromkeys(column for _, column in cells)), cells, _sentence(speeds),
    )


def copy_tests_of(side: Side) -> list[CopyTest]:
    """In the order of measurement; of a test that was run again, the last."""
    tests: dict[str, list[Result]] = {}
    for run in side.runs:
        of_run: dict[str, list[Result]] = {}
        for result in run.results:
            if result.copy is not None:
                of_run.setdefault(result.collective.removeprefix(MEMCPY), []).append(result)
        tests |= of_run
    return [_test(name, results) for name, results in tests.items()]
