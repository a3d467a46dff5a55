"""A matrix of pairs: a row for each source rank, a column for each destination."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from looks import LEAST_SPAN, level_of
from units import figures, format_time, significant

MAX_NAMED = 8  # of the slowest pairs
ALIKE = 1.05  # worst to best pair: none is worth a name
Pair = tuple[int, int]


@dataclass(frozen=True)
class Matrix:
    """All pairs of one kind at one size; of several runs the median. Numbers are the window's."""

    title: str
    label: str  # of its side; empty where there is one
    bandwidth: bool
    ordered: bool  # whether (a, b) is another measurement than (b, a)
    cells: dict[Pair, float]  # as measured: GB/s or us
    low: frozenset[Pair]  # pairs that were judged low

    @cached_property
    def nranks(self) -> int:
        return 1 + max(max(pair) for pair in self.cells)

    def value(self, row: int, column: int) -> float | None:
        value = self.cells.get((row, column))
        return self.cells.get((column, row)) if value is None and not self.ordered else value

    def is_low(self, row: int, column: int) -> bool:
        return (row, column) in self.low or (not self.ordered and (column, row) in self.low)

    def text(self, value: float) -> str:
        return f"{significant(value)} GB/s" if self.bandwidth else format_time(value)

    def name(self, pair: Pair) -> str:
        return f"{pair[0]} → {pair[1]}" if self.ordered else f"{pair[0]} and {pair[1]}"

    @cached_property
    def by_quality(self) -> list[Pair]:
        """The best first."""
        return sorted(self.cells, key=lambda p: self.cells[p], reverse=self.bandwidth)

    def lag(self, value: float) -> float:
        """How many times slower than the best pair."""
        best = self.cells[self.by_quality[0]]
        if min(best, value) <= 0:
            return 1.0
        return best / value if self.bandwidth else value / best

    @cached_property
    def span(self) -> float:
        return max(self.lag(self.cells[self.by_quality[-1]]), LEAST_SPAN)

    def level(self, value: float) -> int:
        """Its colour: 0 is the best."""
        return level_of(self.lag(value), self.span)

    @cached_property
    def sentence(self) -> str:
        """Best and worst pair by name, or that they are alike."""
        best, worst, middle = self.by_quality[0], self.by_quality[-1], median(self.cells.values())
        texts = [self.text(self.cells[pair]) for pair in (best, worst)]
        if len(self.cells) == 1:
            return f"Ranks {self.name(best)}: {texts[0]}."
        if self.lag(self.cells[worst]) < ALIKE and not self.low:
            return f"All {len(self.cells)} pairs are within 5 %: {self.text(middle)}."
        low = f" Low: {len(self.low)} of {len(self.cells)} pairs." if self.low else ""
        return (f"Best: ranks {self.name(best)}, {texts[0]}. Worst: ranks {self.name(worst)}, "
                f"{texts[1]}, {significant(self.lag(self.cells[worst]))} times slower. "
                f"Median: {self.text(middle)}.{low}")


    @property
    def best_text(self) -> str:
        return self.text(self.cells[self.by_quality[0]])

    @property
    def span_text(self) -> str:
        return significant(self.span)

    @property
    def slowest(self) -> list[str]:
        pairs = self.by_quality[: -MAX_NAMED - 1 : -1]
        return [f"ranks {self.name(pair)}: {self.text(self.cells[pair])}" for pair in pairs]

    @property
    def rows(self) -> Iterator[list[tuple[str, str]]]:
        """For each cell its classes and its number, without the unit."""
        for row in range(self.nranks):
            yield [self._cell(row, column) for column in range(self.nranks)]

    def _cell(self, row: int, column: int) -> tuple[str, str]:
        value = self.value(row, column)
        if value is None:
            return "", ""
        framed = " framed" if self.is_low(row, column) else ""
        return f"h{self.level(value)}{framed}", figures(value)
