"""What a run found, in sentences: best bandwidth, shortest time, and what is to be mistrusted."""

from __future__ import annotations

from records import Result, Run, Samples
from series import setup_of
from units import format_bytes, format_time, significant

# A narrower interval than this is not worth a word.
WIDE_INTERVAL = 0.1
# What an exit code says where the run wrote no sentence.
CAUSES = {
    1: "wrong data.",
    3: "its bandwidth is below the limit asked for.",
    4: "a timeout, or a lost rank.",
    5: "something it needs is not there.",
    130: "it was interrupted.",
}


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


def _ending(run: Run) -> list[str]:
    """How the run ended, unless well."""
    if run.end is None:
        torn = " Its last line is torn." if run.torn else ""
        return [
            f"The run did not finish: no end line after {len(run.results)} results.{torn} "
            "What was measured before stands."
        ]
    code, error = run.end.get("exit_code", 0), run.end.get("error")
    if code == 0 and not error:
        return []
    known = CAUSES.get(code) if isinstance(code, int) else None
    return [f"The run failed (exit code {code}): {error or known or 'no reason given.'}"]


def _half_width(samples: Samples) -> float:
    """Of the median's interval, as a part of the median; 0 where there is no interval."""
    low, high = samples.interval or (0, 0)
    return (high - low) / 2 / samples.median


def _imprecision(run: Run) -> list[str]:
    widths = [(_half_width(r.samples), r) for r in run.results if r.samples]
    noisy = [(width, r) for width, r in widths if width > WIDE_INTERVAL]
    if not noisy:
        return []
    worst, result = max(noisy, key=lambda entry: entry[0])
    longer = "-n" if result.pair else "-n or --stop ci=1%,max=5s"  # p2p_perf has no --stop
    return [
        f"{len(noisy)} of {len(run.results)} medians are known to worse than ±10 %, the worst "
        f"to ±{100 * worst:.0f} % (n={result.samples.n}, {_where(result)}). Measure longer, with "
        f"{longer}, or look for other work on these cores."
    ]


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
    warnings += _ending(run) + _imprecision(run)
    return warnings
