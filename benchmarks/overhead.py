"""What the harness adds to each call: run_window() over a CallIssuer against a bare loop."""

from __future__ import annotations

from typing import Any

from cells import OUT_OF_PLACE, Case
from jobs import Job
from measure import request_of, windows_us
from plan import OVERHEAD_BYTES
from ratios import difference_of_medians

ROUNDS = 41
ITERS = 2000


def overhead_line(job: Job, nranks: int) -> dict[str, Any]:
    """In turns, the smallest call there is: nothing hides what is added. One rank shows it all;
    with two, part of it may pass while a rank waits for the other."""
    case = Case(nranks, False, "all_reduce", OUT_OF_PLACE, OVERHEAD_BYTES)
    times: dict[str, list[float]] = {"bare": [], "harness": []}
    for number in range(ROUNDS):
        for loop in sorted(times, reverse=number % 2 == 1):
            answers = job.ask(request_of(case, ITERS, loop=loop))
            times[loop] += windows_us(answers)
    difference = difference_of_medians(times["harness"], times["bare"])
    return {"kind": "overhead", "nranks": nranks, "bytes": OVERHEAD_BYTES, "iters": ITERS,
            **{f"{loop}_us": [round(us, 5) for us in values] for loop, values in times.items()},
            "added_ns": round(difference.value * 1e3, 2),
            "ci95_low_ns": round((difference.low or 0) * 1e3, 2),
            "ci95_high_ns": round((difference.high or 0) * 1e3, 2)}
