"""One look at many results: a row for each size, columns for each collective and placement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from cases import Case, Figure
from changes import Change, Comparison, percent
from sides import Side
from tables import Cell, Table, gbps_cell, size_cell, trait_cells, varying
from tips import figure_text

NOTEWORTHY = 0.05  # a ratio this far from 1 is coloured
LOOKS = {"FASTER": "faster sure", "SLOWER": "slower sure"}
SHORT = {"out of place": "out", "in place": "in"}


def _grid(cases: list[Case], cell_of: Callable[[Case], Cell]) -> Table:
    """Traits are groups of columns, one column for each placement."""
    parts, constant = varying(case.trait for case in cases)
    order = list(dict.fromkeys(case.trait for case in cases))
    columns = sorted(dict.fromkeys((case.trait, case.placement) for case in cases),
                     key=lambda column: order.index(column[0]))
    widths = Counter(trait for trait, _ in columns)
    known = set(cases)
    table = Table(["size", *(SHORT.get(placement, placement) for _, placement in columns)],
                  constant=constant, groups=[("", 1)], dense=True)
    for trait, width in widths.items():
        words = [cell.text for cell in trait_cells(trait, parts)]
        table.groups.append((", ".join(filter(None, words)), width))
    for size in table.kept(sorted({case.bytes for case in cases})):
        row = [Case(trait, size, placement) for trait, placement in columns]
        table.rows.append([size_cell(size), *(cell_of(c) if c in known else Cell("") for c in row)])
    return table


def overview_of(side: Side) -> Table | None:
    """Bus bandwidths; None where one collective is all there is, whose table says the same."""
    cases = list(side.figures)
    if len({case.trait for case in cases}) < 2:
        return None
    return _grid(cases, lambda case: gbps_cell(side.figures[case], digits=2))


def _look(change: Change) -> str:
    """By its verdict; of too few runs for one, coloured where it is far off."""
    if change.verdict and change.verdict.interval:
        return LOOKS.get(change.verdict.word, "")
    if abs(change.ratio - 1) < NOTEWORTHY:
        return ""
    return "faster" if change.ratio > 1 else "slower"


def ratio_cell(change: Change) -> Cell:
    tip = (f"{change.case.trait.collective}, {change.case.where}\n"
           f"before: {figure_text(change.base)}\nnow: {figure_text(change.other)}")
    if change.verdict:
        tip += f"\nlinerate compare: {change.verdict.word}, {change.verdict.effect} times the time"
    return Cell(percent(change.ratio), change.ratio, _look(change), tip)


def _change_cells(change: Change | None, certain: bool) -> list[Cell]:
    if change is None:
        return [Cell("")] * len(_heads(certain))
    if not certain:
        return [ratio_cell(change)]
    verdict = change.verdict
    return [ratio_cell(change),
            Cell(verdict.word if verdict else "", None, f"name {_look(change)}".strip()),
            Cell(verdict.effect, verdict.ratio) if verdict else Cell("")]


def _heads(certain: bool) -> list[str]:
    return ["speed", "verdict", "B/A"] if certain else ["speed"]


def change_overview_of(comparison: Comparison) -> Table | None:
    """Ratios, where there is more than one collective."""
    changes = {change.case: change for change in comparison.changes}
    if len({case.trait for case in changes}) < 2:
        return None
    return _grid(list(changes), lambda case: ratio_cell(changes[case]))


def side_by_side(sides: list[Side], comparisons: list[Comparison]) -> Table:
    """A row for each case: every side's bus bandwidth, how fast it is against the first, and where
    there are runs enough what linerate compare says of that."""
    cases = dict.fromkeys(case for side in sides for case in side.figures)
    parts, constant = varying(case.trait for case in cases)
    against = {id(c.other): ({change.case: change for change in c.changes}, c.verdicts.certain)
               for c in comparisons}
    table = Table([*parts, "size", "placement"], constant=constant,
                  groups=[("", len(parts) + 2)])
    for side in sides:
        heads = ["GB/s", *(_heads(against[id(side)][1]) if id(side) in against else [])]
        table.heads += heads
        table.groups.append((side.label, len(heads)))
    for case in table.kept(cases):
        row = [*trait_cells(case.trait, parts), size_cell(case.bytes),
               Cell(case.placement, look="name")]
        for side in sides:
            figure: Figure | None = side.figures.get(case)
            row.append(gbps_cell(figure) if figure else Cell(""))
            if id(side) in against:
                changes, certain = against[id(side)]
                row += _change_cells(changes.get(case), certain)
        table.rows.append(row)
    return table
