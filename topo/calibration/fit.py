#!/usr/bin/env python3
"""Fits the forecast of `linerate topo --predict` to published runs, and tells how well it does.

    topo/calibration/fit.py build/bin/linerate            fit, cross-validate, print the tables
    topo/calibration/fit.py build/bin/linerate --write    and write topo/model/forecast_parameters.h
    topo/calibration/fit.py build/bin/linerate --figures  the table of docs/topology.md, no fit
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np

from bands import bands
from figures import markdown
from model import Problem, problem, spreads, start, times_us
from points import points
from report import report
from table_file import write
from validation import leave_sources_out, leave_support_out

STEP = 1e-4
ROUNDS = 40
MOST = 0.3  # of a parameter in a round
LEAST_ERROR = 0.03  # below it an error counts by its square, above by itself


def weights(of: Problem) -> np.ndarray:
    """Each table counts with the root of its points in a size band, so that none outvotes all."""
    keys = [(point.table["id"], point.band) for point in of.points]
    count = Counter(keys)
    return np.array([count[key] ** -0.5 for key in keys])


def fitted(of: Problem) -> dict[str, float]:
    """The parameters' logarithms, by least squares that large errors do not rule."""
    begin, even = start(of.names), weights(of)
    prior = np.diag(spreads(of.names) ** -2.0) * LEAST_ERROR

    def errors(x: np.ndarray) -> np.ndarray:
        return np.log(times_us(of, x) / of.columns["measured"])

    x = begin.copy()
    for _ in range(ROUNDS):
        error = errors(x)
        slopes = np.stack([(errors(x + STEP * unit) - error) / STEP for unit in np.eye(len(x))], 1)
        weighted = slopes * (even / np.maximum(np.abs(error), LEAST_ERROR))[:, None]
        step = np.linalg.solve(slopes.T @ weighted + prior,
                               prior @ (begin - x) - weighted.T @ error)
        x += np.clip(step, -MOST, MOST)
    return dict(zip(of.names, (float(value) for value in x), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--figures", action="store_true")
    arguments = parser.parse_args()
    everything = points(arguments.program)
    if arguments.figures:
        print(markdown(everything))
        return
    healthy = [point for point in everything if point.healthy]
    left_out = leave_sources_out(everything, fitted)
    basis = [each for each in left_out if each.point.healthy] + leave_support_out(healthy, fitted)
    print(report(left_out, basis))
    if arguments.write:
        write(fitted(problem(healthy)), healthy, bands(basis))


if __name__ == "__main__":
    main()
