"""The largest figure of each published run beside NCCL's belief and the expectation."""

from __future__ import annotations

from points import Point

TITLES = ["platform", "nodes", "collective", "size", "NCCL", "NCCL believes", "expected",
          "low to high", "measured", "source"]


def number(gbps: float) -> str:
    return f"{gbps:.0f}"


def row_of(cells: list[object]) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def line(point: Point) -> str:
    table, row = point.table, point.row
    size = next(text for text, busbw in reversed(table["busbw_gbps"].items())
                if busbw == point.busbw_gbps)
    state = "" if table["state"] == "healthy" else f" ({table['state']})"
    note = f"; {table['note']}" if "note" in table else ""
    version = table["nccl"] + ("" if table["nccl_from"] == "source" else " by date")
    believed = "-" if point.sends else number(row["ncclmodel_busbw_gbps"])
    band = f"{number(row['expected_low_gbps'])} to {number(row['expected_high_gbps'])}"
    kind = table["collective"] + (f", {table['type']}" if "type" in table else "")
    size = size.replace("G", " GiB").replace("M", " MiB")
    expected = number(row["expected_busbw_gbps"])
    cells = [table["platform"], table["nodes"], kind, size, version, believed, expected, band,
             number(point.busbw_gbps) + state, table["source"] + note]
    return row_of(cells)


def markdown(points: list[Point]) -> str:
    last = {point.table["id"]: point for point in points}
    return "\n".join([row_of(TITLES), "|---" * len(TITLES) + "|", *map(line, last.values())])
