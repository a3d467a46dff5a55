"""How well the forecast does on publishers that the fit has not seen, as a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np

from bands import covered
from points import BANDS
from validation import KINDS, LeftOut, kind_of

LARGE = 2  # the first size band from 64 MiB


def line(name: str, mine: list[LeftOut], inside: dict[int, bool]) -> str:
    errors = np.abs(1 / np.array([each.ratio for each in mine]) - 1)
    publishers = len({each.point.table["by"] for each in mine})
    within = np.mean([inside[id(each)] for each in mine])
    return (f"{name:<52} {len(mine):6} {publishers:7} {errors.mean():7.1%} "
            f"{np.median(errors):7.1%} {within:8.0%}")


def groups_of(each: LeftOut) -> list[str]:
    point, size = each.point, BANDS[each.point.band][1]
    table, kind = each.point.table, KINDS[kind_of(each.point)]
    large = point.band >= LARGE
    known = "known to others" if each.sources else "one source"
    return [f"all {size}", *(["all from 64 MiB", f"{kind} from 64 MiB"] if large else []),
            f"{kind} {size}", f"{kind}, {known}, {size}",
            f"{table['platform']} x {table['nodes']}, {table['collective']}, {size}"]


def table(left_out: list[LeftOut], inside: dict[int, bool], names: Callable) -> list[str]:
    groups: dict[str, list[LeftOut]] = defaultdict(list)
    for each in left_out:
        for name in names(each):
            groups[name].append(each)
    order = sorted(groups, key=lambda group: (group.count(","), group))
    return [line(name, groups[name], inside) for name in order]


def report(left_out: list[LeftOut], basis: list[LeftOut]) -> str:
    """How far each publisher's figures are from a fit without them, by kind, then by machine; then
    those of machines that are not taken for healthy, or run with other settings. `basis`: what the
    bands come from."""
    healthy = [each for each in left_out if each.point.healthy]
    others = [each for each in left_out if not each.point.healthy]
    inside = covered(left_out, basis)
    head = f"{'left out':<52} {'points':>6} {'sources':>7} {'MAPE':>7} {'median':>7} {'in band':>8}"
    return "\n".join([head, *table(healthy, inside, groups_of), "", "no part of the fit",
                      *table(others, inside, lambda each: [each.point.table["state"]])])
