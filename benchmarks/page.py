"""The page: how it was measured, tables, targets, and every number, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from cells import Case
from console import HEADINGS, row_of
from page_tables import (
    competitors_table,
    limits_table,
    machine_table,
    overheads_table,
    score,
    table,
    targets_table,
)
from results import Results

METHOD = """\
Every competitor is a job that stays alive and sleeps at a socket while others are measured: nothing
spins beside a measurement. In each round every competitor measures every size of a block, one after
the other, each time in another order. A round is one to three windows of about a millisecond or one
call, whichever is longer; a window is what the tools measure: barrier, calls back to back, two
clock reads; its time is the slowest rank's. A cell is the median of its rounds' medians; `*` marks
a median above 1.5 times the fastest window: something else ran. A ratio is the best peer's
median over ours, above 1 where linerate is faster, with the 95 % interval of a bootstrap over
rounds. The machine is probed before and after each block; where it changed within, the block was
measured again. Data was verified once in each warm cell. float32, sum; rank r runs on core r
modulo the number of cores.

- **warm**: the same buffers in every call. **cold**: each call on buffers that none of the last
  calls has used, of a pool beyond the caches.
- **threads**, **processes**: linerate's host backend, buffers from its shared heap. MPI ranks and
  Gloo's have private buffers; **private** is linerate with private buffers too.
- broadcast is compared in place: MPI has one buffer, and a copy at the root would be charged to it.
- The **memory limit** of a call is the later of two bounds: bytes written over the bandwidth of
  non-temporal stores, and bytes read and written over that of a copy with such stores; every input
  is read once, every result written once; bandwidths are those probed around the block.
- all_to_all_v and hypercube are left out: they are made of the same calls.
"""


def _details(results: Results) -> Iterator[str]:
    """A table for each block, in the order of measurement."""
    def setting(case: Case) -> tuple[int, bool, str, str]:
        return case.nranks, case.cold, case.collective, case.placement

    for (nranks, cold, collective, placement), cases in groupby(results.cells, setting):
        heat = "cold" if cold else "warm"
        yield f"### {collective}, {nranks} ranks, {heat}, {placement.replace('_', ' ')}\n"
        yield table(HEADINGS, (row_of(results, case, minima=True) for case in cases))


def _unsteady(results: Results) -> list[str]:
    titles = [block["title"] for block in results.blocks.values() if not block["steady"]]
    return [f"The machine changed within these blocks: {'; '.join(titles)}.\n"] if titles else []


def page_text(results: Results, picture: str, notes: str = "") -> str:
    """`notes` are a person's, on targets that were missed."""
    return "\n".join([
        "# The host backend beside its peers\n",
        "Made by `make bench`; not written by hand.\n",
        METHOD,
        "## Where\n", machine_table(results), competitors_table(results),
        "## Limits\n", limits_table(results),
        "## The harness\n", overheads_table(results),
        "## Targets\n",
        f"Met: {score(results)}. The worst size of each range counts. A ratio is the best peer's "
        "median over ours; a share of the limit is the limit's time over ours.\n",
        *_unsteady(results), targets_table(results), *([notes] if notes else []),
        f"![ratios over sizes]({picture})\n",
        "## All results\n",
        "Times are the median of a call and the fastest window.\n", *_details(results)])
