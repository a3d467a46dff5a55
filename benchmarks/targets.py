"""What the host backend must reach against the best peer, and whether a run reached it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cells import IN_PLACE, OUT_OF_PLACE, Case
from floors import FLOOR_BYTES, floor_of
from ratios import Estimate
from results import Results

KIB, MIB = 1 << 10, 1 << 20


@dataclass(frozen=True)
class Band:
    name: str
    low: int
    high: int

    def holds(self, count: int) -> bool:
        return self.low <= count <= self.high


ANY = 1 << 62
BANDS = (Band("≤ 4 KiB", 0, 4 * KIB), Band("32 KiB – 1 MiB", 32 * KIB, MIB),
         Band("2 – 16 MiB", 2 * MIB, 16 * MIB), Band("≥ 64 MiB", 64 * MIB, ANY))
# 2 ranks, warm: the least ratio in each band, and the share of the memory limit at FLOOR_BYTES.
WARM = {
    "all_reduce": (4, 8, 2.5, 5, 0.85),
    "reduce_scatter": (3, 10, 4, 5, 0.85),
    "all_gather": (3, 2.5, 1.2, 1.3, 0.9),
    "broadcast": (1.5, 3, 1.3, 1.7, 0.85),
    "all_to_all": (2.5, 1.7, 1.2, 1.1, 0.85),
    "sendrecv": (1.5, 2, 1.2, 1.2, 0.9),
}
COLD = ((Band("up to 2 MiB", 0, 2 * MIB), 1.3), (Band("above 2 MiB", 2 * MIB + 1, ANY), 1.0))
CROWDED_ALL_REDUCE = (Band("up to 2 MiB", 0, 2 * MIB), 2.0)
CROWDED = (Band("any size", 0, ANY), 0.8)
OVERHEAD_NS = 50.0


def headline_placement(collective: str) -> str:
    """MPI broadcasts within one buffer: with two, our copy at the root would be charged to it."""
    return IN_PLACE if collective == "broadcast" else OUT_OF_PLACE


@dataclass(frozen=True)
class Verdict:
    """The worst of the cases that one target is about; nothing reached where none was measured,
    and no share of a limit where the machine changed meanwhile."""

    setting: str  # "2 ranks, warm"
    collective: str
    what: str
    target: float
    reached: Estimate | None
    at: Case | None = None

    @property
    def met(self) -> bool:
        return self.reached is not None and self.reached.value >= self.target


Score = Callable[[Case], Estimate | None]


def _worst(cases: list[Case], score: Score) -> tuple[Estimate | None, Case | None]:
    scored = [(estimate, case) for case in cases if (estimate := score(case))]
    return min(scored, key=lambda pair: pair[0].value, default=(None, None))


def share_of_limit(results: Results, case: Case, ours: str) -> Estimate | None:
    """The memory's floor over our median."""
    cell = results.cells[case].get(ours)
    limits = results.limits_at(cell) if cell else None
    return Estimate(floor_of(case, limits).time_us / cell.median_us) if limits else None


def verdicts(results: Results, ours: str) -> Iterator[Verdict]:
    """Every target, for one of our ways to run."""
    def judge(setting: str, collective: str, band: Band, target: float, **of: object) -> Verdict:
        cases = [c for c in results.cases(collective=collective,
                                          placement=headline_placement(collective), **of)
                 if band.holds(c.bytes)]
        worst = _worst(cases, lambda case: results.ratio(case, ours))
        return Verdict(setting, collective, band.name, target, *worst)

    for collective, (*ratios, share) in WARM.items():
        for band, target in zip(BANDS, ratios, strict=True):
            yield judge("2 ranks, warm", collective, band, target, nranks=2, cold=False)
        cases = results.cases(collective=collective, nranks=2, cold=False, bytes=FLOOR_BYTES,
                              placement=headline_placement(collective))
        worst = _worst(cases, lambda case: share_of_limit(results, case, ours))
        yield Verdict("2 ranks, warm", collective, "share of the memory limit", share, *worst)
    for collective in WARM:
        for band, target in COLD:
            yield judge("2 ranks, cold", collective, band, target, nranks=2, cold=True)
    yield judge("4 ranks, warm", "all_reduce", *CROWDED_ALL_REDUCE, nranks=4, cold=False)
    for collective in WARM:
        yield judge("4 ranks, warm", collective, *CROWDED, nranks=4, cold=False)
