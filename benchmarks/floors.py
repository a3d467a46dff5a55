"""The least time that memory allows: bytes that a collective must move, over measured bandwidths.

S is nccl-tests' size. Every input is read from memory once and every result written once; buffers
are larger than the caches. Two bounds, and the later one holds: the writes alone at the bandwidth
of non-temporal stores, and all bytes together at that of a copy with such stores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cells import IN_PLACE, Case

FLOOR_BYTES = 128 << 20  # where a share of the limit is quoted


@dataclass(frozen=True)
class Limits:
    """Of as many threads as ranks, in GB/s (10^9 bytes)."""

    nt_write_gbps: float
    nt_copy_gbps: float  # bytes read plus bytes written


@dataclass(frozen=True)
class Floor:
    time_us: float
    bound_by: str  # "writes" or "reads and writes"


# Bytes read and written over all ranks, in units of S, out of place; n is the number of ranks.
TRAFFIC: dict[str, tuple[Callable[[int], int], Callable[[int], int]]] = {
    "all_reduce": (lambda n: n, lambda n: n),
    "reduce_scatter": (lambda n: n, lambda n: 1),
    "all_gather": (lambda n: 1, lambda n: n),
    "broadcast": (lambda n: 1, lambda n: n),
    "all_to_all": (lambda n: n, lambda n: n),
    "sendrecv": (lambda n: n, lambda n: n),
    "reduce": (lambda n: n, lambda n: 1),
    "gather": (lambda n: 1, lambda n: 1),
    "scatter": (lambda n: 1, lambda n: 1),
}
# In place, one copy of the input lies where it belongs already.
ONE_LESS_IN_PLACE = ("all_gather", "broadcast")


def traffic_bytes(case: Case) -> tuple[int, int]:
    """Bytes that must be read and written."""
    reads, writes = (count(case.nranks) for count in TRAFFIC[case.collective])
    if case.placement == IN_PLACE and case.collective in ONE_LESS_IN_PLACE:
        writes -= 1
    return reads * case.bytes, writes * case.bytes


def floor_of(case: Case, limits: Limits) -> Floor:
    reads, writes = traffic_bytes(case)
    by_writes = writes / limits.nt_write_gbps / 1e3
    by_both = (reads + writes) / limits.nt_copy_gbps / 1e3
    return Floor(by_writes, "writes") if by_writes >= by_both else Floor(by_both,
                                                                         "reads and writes")
