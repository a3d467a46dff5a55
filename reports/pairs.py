"""Point to point results of all sides, sorted into matrices."""

from __future__ import annotations

from statistics import median

from matrices import Matrix, Pair
from records import Result
from sides import Side
from units import format_bytes

LATENCY = "p2p_latency"
TITLES = {
    "p2p_latency": "Latency, half a round trip of {size}",
    "p2p_unidirectional": "One way, {size} from row to column",
    "p2p_bidirectional": "Both ways at once, {size} each",
}


def _figure(result: Result) -> float:
    return result.time_us if result.collective == LATENCY else result.busbw_gbps


def _matrix(label: str, results: list[Result]) -> Matrix:
    """All `results` are of one collective and one size. Only ordered kinds fill both triangles."""
    first = results[0]
    values: dict[Pair, list[float]] = {}
    for result in results:
        if result.pair:
            values.setdefault(result.pair, []).append(_figure(result))
    ordered = first.collective == "p2p_unidirectional" or any(p[::-1] in values for p in values)
    title = TITLES.get(first.collective, first.collective + ", {size}")
    low = frozenset(r.pair for r in results
                    if r.pair and r.expected and r.expected.verdict == "low")
    return Matrix(title.replace("{size}", format_bytes(first.bytes)), label,
                  first.collective != LATENCY, ordered,
                  {pair: median(some) for pair, some in values.items()}, low)


def matrices_of(sides: list[Side]) -> list[Matrix]:
    """One for each side, kind and size of results of pairs."""
    groups: dict[tuple[str, str, int], list[Result]] = {}
    for side in sides:
        label = side.label if len(sides) > 1 else ""
        for result in side.results:
            if result.pair is not None and result.copy is None:
                groups.setdefault((label, result.collective, result.bytes), []).append(result)
    return [_matrix(label, results) for (label, *_), results in groups.items()]
