"""The results of a block as a table on the terminal, one row a size."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "reports"))

from cells import Case, Cell  # noqa: E402
from plan import Block  # noqa: E402
from ratios import Estimate  # noqa: E402
from results import OURS, Results  # noqa: E402
from units import column_time, figures, format_bytes  # noqa: E402


def ratio_text(ratio: Estimate | None) -> str:
    """"4.02 [3.80 – 4.31]"."""
    if ratio is None:
        return "-"
    if ratio.low is None or ratio.high is None:
        return figures(ratio.value)
    return f"{figures(ratio.value)} [{figures(ratio.low)} – {figures(ratio.high)}]"


def _time_text(cell: Cell | None) -> str:
    """The median; marked where the fastest window was much faster, or where data was wrong."""
    if cell is None:
        return "-"
    mark = " WRONG" if cell.wrong else "*" if cell.disturbed else ""
    return column_time(cell.median_us) + mark


def _with_minimum(cell: Cell | None) -> str:
    return _time_text(cell) + (f" / {column_time(cell.min_us)}" if cell else "")


def row_of(results: Results, case: Case, minima: bool = False) -> list[str]:
    """Size, our times, the best peer's name and time, and its median over each of ours; `minima`:
    the fastest window beside each time."""
    peer = results.best_peer(case)
    text = _with_minimum if minima else _time_text
    return [format_bytes(case.bytes),
            *(text(results.cells[case].get(key)) for key in OURS),
            peer.competitor if peer else "-",
            text(peer),
            *(ratio_text(results.ratio(case, key)) for key in OURS)]


HEADINGS = ["size", *OURS, "best peer", "its median", *(f"peer / {key}" for key in OURS)]


def block_text(results: Results, block: Block) -> str:
    """The block's cases that were measured; `*`: the median is above 1.5 times the minimum."""
    rows = [HEADINGS] + [row_of(results, case) for case in block.cases if case in results.cells]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADINGS))]
    lines = ["  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
             for row in rows]
    return "\n".join([f"# {block.title}", *lines, ""])
