"""What a run measures: blocks of cases that belong together, by how much time there is."""

from __future__ import annotations

from dataclasses import dataclass

from cells import IN_PLACE, OUT_OF_PLACE, Case
from targets import WARM, headline_placement

MAX_BYTES = 128 << 20
HEADLINES = tuple(WARM)
OTHERS = ("reduce", "gather", "scatter")
IN_PLACE_TOO = ("all_reduce", "reduce_scatter", "all_gather", "all_to_all")
OVERHEAD_BYTES = 8


@dataclass(frozen=True)
class Block:
    """One collective in one setting; `weight`: its share of the time."""

    nranks: int
    cold: bool
    collective: str
    placement: str
    sizes: tuple[int, ...]
    weight: float

    @property
    def title(self) -> str:
        heat = "cold" if self.cold else "warm"
        return (f"{self.collective}, {self.nranks} ranks, {heat}, "
                f"{self.placement.replace('_', ' ')}")

    @property
    def cases(self) -> list[Case]:
        return [Case(self.nranks, self.cold, self.collective, self.placement, size)
                for size in self.sizes]


@dataclass(frozen=True)
class Plan:
    """`pool_bytes`: the most that cold calls rotate over, all ranks together; virtual machines name
    caches that they share with strangers, so that twice the last cache may be too much."""

    seconds: float
    blocks: tuple[Block, ...]
    least_rounds: int = 5
    most_rounds: int = 25
    pool_bytes: int = 1 << 30

    @property
    def array_bytes(self) -> int:
        """Of each array that the memory's limits are measured with."""
        return self.pool_bytes // 4


def sizes(factor: int, last: int = MAX_BYTES, first: int = 8) -> tuple[int, ...]:
    """From `first` up, times `factor`, and `last` itself."""
    found = []
    while first < last:
        found.append(first)
        first *= factor
    return (*found, last)


def _headlines(nranks: int, cold: bool, of: tuple[int, ...], weight: float) -> list[Block]:
    return [Block(nranks, cold, name, headline_placement(name), of, weight) for name in HEADLINES]


def full() -> Plan:
    """Every collective with a peer; all_to_all_v and hypercube are made of the same calls."""
    second = [*(Block(2, False, name, IN_PLACE, sizes(4), 1.2) for name in IN_PLACE_TOO),
              Block(2, False, "broadcast", OUT_OF_PLACE, sizes(4), 1.2)]
    return Plan(540, (
        *_headlines(2, False, sizes(2), 3),
        *_headlines(2, True, sizes(4), 1.6),
        *second,
        *(Block(2, False, name, OUT_OF_PLACE, sizes(4), 1) for name in OTHERS),
        *_headlines(4, False, sizes(4, 32 << 20), 2)))


def quick() -> Plan:
    """A look at the headlines: every band once."""
    few = (8, 512, 4 << 10, 32 << 10, 256 << 10, 2 << 20, 16 << 20, MAX_BYTES)
    return Plan(60, (*_headlines(2, False, few, 2), *_headlines(2, True, few[1::2], 1),
                     *_headlines(4, False, (512, 256 << 10), 1)), most_rounds=9)


def smoke() -> Plan:
    """Shows in two seconds that everything works; its figures say nothing."""
    two = (64, 32 << 10)
    return Plan(1, tuple(Block(2, cold, "all_reduce", OUT_OF_PLACE, two, 1)
                         for cold in (False, True)), least_rounds=2, most_rounds=2,
                pool_bytes=32 << 20)


PLANS = {"full": full, "quick": quick, "smoke": smoke}
