"""What a run found, in sentences: best bandwidth, shortest time, and what is to be mistrusted."""

from __future__ import annotations

from records import Result, Run
from series import setup_of
from units import format_bytes, format_time, significant

# A narrower interval than this is not worth a word.
WIDE_INTERVAL = 0.1


def _where(result: Result) -> str:
    ranks = f", ranks {result.pair[0]} and {result.pair[1]}" if result.pair else ""
    return f"{format_bytes(result.bytes)}, {result.placement}{ranks}"


def title_of(runs: list[Run]) -> str:
    """The collectives measured, and on how many ranks where that is one number."""
    names = list(dict.fromkeys(r.collective for run in runs for r in run.results))
    what = ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
    if len(runs) > 1:
        return f"{what}: {len(runs)} runs compared"
    return f"{what}: {setup_of(runs[0])}"


def summary_of(run: Run) -> list[str]:
    """At most three sentences."""
    sentences = []
    best = max(run.results, key=lambda r: r.busbw_gbps)
    if best.busbw_gbps > 0:
        value = significant(best.busbw_gbps)
        sentences.append(f"Highest bus bandwidth: {value} GB/s ({_where(best)}).")
    fastest = min(run.results, key=lambda r: r.time_us)
    sentences.append(f"Shortest time: {format_time(fastest.time_us)} ({_where(fastest)}).")
    checked = [r for r in run.results if r.wrong is not None]
    wrong = sum(r.wrong or 0 for r in checked)
    if checked and wrong == 0:
        sentences.append(f"{len(checked)} of {len(run.results)} results checked, all right.")
    return sentences


def warnings_of(run: Run) -> list[str]:
    """What was seen, the number that shows it, and what to do next."""
    warnings = []
    wrong = [r for r in run.results if r.wrong]
    if wrong:
        count = sum(r.wrong or 0 for r in wrong)
        warnings.append(
            f"{count} wrong elements in {len(wrong)} of {len(run.results)} results, first at "
            f"{_where(wrong[0])}. Do not use these numbers; run that size alone again."
        )
    if run.end is None:
        torn = " Its last line is torn." if run.torn else ""
        warnings.append(
            f"The run did not finish: no end line after {len(run.results)} results.{torn} "
            "What was measured before stands."
        )
    elif run.end.get("error"):
        warnings.append(f"The run failed: {run.end['error']}")
    noisy = [
        r
        for r in run.results
        if r.samples and (r.samples.high - r.samples.low) > 2 * WIDE_INTERVAL * r.samples.median
    ]
    if noisy:
        widest = max(noisy, key=lambda r: (r.samples.high - r.samples.low) / r.samples.median)
        half = 50 * (widest.samples.high - widest.samples.low) / widest.samples.median
        warnings.append(
            f"{len(noisy)} of {len(run.results)} medians are known to worse than ±10 %, the worst "
            f"to ±{half:.0f} % (n={widest.samples.n}, {_where(widest)}). Measure longer, with -n "
            "or --stop ci=1%,max=5s, or look for other work on these cores."
        )
    return warnings
