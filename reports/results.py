"""The table of results: a row for each size, placements side by side."""

from __future__ import annotations

from collections.abc import Callable

from cases import Case, Figure, Trait
from tables import Cell, Table, gbps_cell, size_cell, trait_cells, varying
from units import column_time, figures, significant

Column = tuple[str, Callable[[Figure], Cell]]


def _time(figure: Figure) -> Cell:
    return Cell(column_time(figure.time_us), figure.time_us)


def _algbw(figure: Figure) -> Cell:
    return Cell(figures(figure.algbw_gbps))


def _range(figure: Figure) -> Cell:
    expected = figure.expected
    if expected is None:
        return Cell("")
    return Cell(expected.range_text.replace(" to ", " – "), None, "span")


def _reached(figure: Figure) -> Cell:
    if figure.expected is None:
        return Cell("")
    part = figure.expected.efficiency
    return Cell(f"{significant(100 * part, 2 if part < 1 else 3)} %")


def _wrong(figure: Figure) -> Cell:
    if figure.wrong is None:
        return Cell("not checked", look="span")
    return Cell(str(figure.wrong), None, "v wrong" if figure.wrong else "")


def _columns(found: dict[Case, Figure]) -> list[Column]:
    """Without what would be the same in all rows: nothing expected, no element wrong."""
    columns: list[Column] = [("time", _time), ("algbw", _algbw), ("busbw", gbps_cell)]
    if any(figure.expected for figure in found.values()):
        columns += [("expected", _range), ("reached", _reached)]
    if any(figure.wrong != 0 for figure in found.values()):
        columns += [("wrong", _wrong)]
    return columns


def _names(pair: dict[str, Figure], name_of: Callable[[Figure], str]) -> Cell:
    names = dict.fromkeys(map(name_of, pair.values()))
    return Cell(" / ".join(filter(None, names)), look="name")


def _bound(figure: Figure) -> str:
    return figure.expected.bound_by if figure.expected else ""


def _ran(figure: Figure) -> str:
    return str(figure.middle.ran)


def results_table(found: dict[Case, Figure]) -> Table:
    """In the order of measurement."""
    parts, constant = varying(case.trait for case in found)
    placements = list(dict.fromkeys(case.placement for case in found))
    pairs: dict[tuple[Trait, int], dict[str, Figure]] = {}
    for case, figure in found.items():
        pairs.setdefault((case.trait, case.bytes), {})[case.placement] = figure
    columns = _columns(found)
    last = [(head, name_of) for head, name_of in (("bound by", _bound), ("ran", _ran))
            if any(map(name_of, found.values()))]
    table = Table(
        [*parts, "size", "count", *(head for _ in placements for head, _ in columns),
         *(head for head, _ in last)],
        groups=[("", len(parts) + 2), *((p, len(columns)) for p in placements), ("", len(last))],
        constant=constant,
    )
    for (trait, size), pair in table.kept(pairs.items()):
        count = next(iter(pair.values())).middle.count
        row = [*trait_cells(trait, parts), size_cell(size),
               Cell(f"{count:,}".replace(",", "\u202f"))]
        for placement in placements:
            of = pair.get(placement)
            row += [cell_of(of) if of else Cell("") for _, cell_of in columns]
        table.rows.append([*row, *(_names(pair, name_of) for _, name_of in last)])
    return table
