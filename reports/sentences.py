"""What the results of a side are, in sentences."""

from __future__ import annotations

from cases import Figure
from units import format_bytes, format_gbps, plural, significant

MAX_NAMED = 6  # of a list within a sentence


def reached_text(figure: Figure) -> str:
    """How far a result is from what is expected. REQUIRES: something is."""
    expected = figure.expected
    assert expected is not None
    bound = f", bound by {expected.bound_by}" if expected.bound_by else ""
    return (
        f"{figure.case.trait.collective}, {figure.case.where}: "
        f"{format_gbps(expected.efficiency * expected.busbw_gbps)}, expected "
        f"{significant(expected.busbw_gbps)} ({expected.range_text}){bound}"
    )


def verdict_sentences(judged: list[Figure], total: int) -> list[str]:
    if not judged:
        return []
    low = [f for f in judged if f.verdict == "low"]
    above = [f for f in judged if f.verdict == "above"]
    unsure = [f for f in judged if f.verdict == "unsure"]
    noun = "result" if len(judged) == total else "judged result"
    sentences = []
    if low:
        sentences.append(f"{len(low)} of {plural(len(judged), noun)} are below what healthy "
                         f"machines reach. The lowest: {reached_text(_lowest(low))}.")
        if len(low) > 1:
            sentences.append(f"Low: {_places(low)}.")
    if above:
        high = max(above, key=lambda f: f.expected.efficiency if f.expected else 0)
        sentences.append(f"{len(above)} of {plural(len(judged), noun)} are above what is "
                         f"expected. The highest: {reached_text(high)}.")
    if unsure:
        sentences.append(f"{len(unsure)} of {plural(len(judged), noun)} are below what healthy "
                         "machines reach, but by no more than what disturbed them may have cost. "
                         f"The lowest: {reached_text(_lowest(unsure))}.")
        if len(unsure) > 1:
            sentences.append(f"Not sure: {_places(unsure)}.")
    if not sentences:
        sentences.append(f"{len(judged)} of {plural(len(judged), noun)} are in the range of "
                         f"healthy machines. The lowest: {reached_text(_lowest(judged))}.")
    return sentences


def _lowest(judged: list[Figure]) -> Figure:
    return min(judged, key=lambda f: f.expected.shortfall if f.expected else 1)


def _places(low: list[Figure]) -> str:
    """Where results are low: sizes by collective, collectives of the same sizes together."""
    sizes: dict[str, dict[int, None]] = {}
    for figure in low:
        sizes.setdefault(figure.case.trait.collective, {}).setdefault(figure.case.bytes)
    alike: dict[str, list[str]] = {}
    for collective, of in sizes.items():
        found = sorted(of)
        text = ", ".join(map(format_bytes, found)) if len(found) <= MAX_NAMED else \
            f"{len(found)} sizes from {format_bytes(found[0])} to {format_bytes(found[-1])}"
        alike.setdefault(text, []).append(collective)
    parts = [f"{', '.join(names)} at {text}" for text, names in alike.items()]
    more = f"; and {len(parts) - MAX_NAMED} more" if len(parts) > MAX_NAMED else ""
    return "; ".join(parts[:MAX_NAMED]) + more


def best_sentences(figures: list[Figure]) -> list[str]:
    if not figures:
        return []
    best, sentences = max(figures, key=lambda f: f.busbw_gbps), []
    if best.busbw_gbps > 0:
        sentences.append(f"Highest bus bandwidth: {format_gbps(best.busbw_gbps)} "
                         f"({best.case.trait.collective}, {best.case.where}).")
    checked = [f for f in figures if f.wrong is not None]
    if checked and not any(f.wrong for f in checked):
        sentences.append(f"Data checked in {len(checked)} of {plural(len(figures), 'result')}: "
                         "all right.")
    return sentences
