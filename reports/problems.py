"""What is wrong, and where: wrong data, runs that failed, what rules found, wide intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

from expected import Finding
from records import Result, Run
from sides import Side
from units import format_bytes, plural

WIDE_INTERVAL = 0.1  # a narrower one is not worth a word
# What an exit code says where the run wrote no sentence.
CAUSES = {
    1: "wrong data.",
    3: "a result is below the limit asked for.",
    4: "a timeout, or a lost rank.",
    5: "something it needs is not there.",
    130: "it was interrupted.",
}
VERDICT_RULES = ("below_bound", "above_bound", "near_bound")  # the answer says these itself
SEVERITIES = ("error", "warning", "info")
NOTICE = "info"


@dataclass(frozen=True)
class Problem:
    """One of SEVERITIES; what was seen, with its number, and what to do next."""

    severity: str
    subject: str
    evidence: str
    advice: str
    times: int = 1  # runs in which it was found


def where_of(result: Result) -> str:
    ranks = f", ranks {result.pair[0]} and {result.pair[1]}" if result.pair else ""
    cell = "" if result.pair or result.copy else f", {result.placement}"
    return f"{result.collective}, {format_bytes(result.bytes)}{cell}{ranks}"


def _wrong(side: Side) -> Iterator[Problem]:
    wrong = [r for r in side.results if r.wrong]
    if wrong:
        count = sum(r.wrong or 0 for r in wrong)
        yield Problem(
            "error", "wrong data",
            f"{plural(count, 'wrong element')} in {len(wrong)} of {len(side.results)} results, "
            f"first in {where_of(wrong[0])}",
            "do not use these numbers; run that size alone again",
        )


def ending_of(run: Run) -> str:
    """How the run ended, unless well."""
    if run.end is None:
        torn = ", and its last line is torn" if run.torn else ""
        return f"it has no end line after {plural(len(run.results), 'result')}{torn}"
    code, error = run.end.get("exit_code", 0), run.end.get("error")
    if code == 0 and not error:
        return ""
    known = CAUSES.get(code) if isinstance(code, int) else None
    return f"exit code {code}: {error or known or 'no reason given.'}".rstrip(".")


def _endings(side: Side) -> Iterator[Problem]:
    for run in side.runs:
        if ending := ending_of(run):
            subject = "the run did not finish" if run.end is None else "the run failed"
            yield Problem("error", subject, ending, "what was measured before stands")


def _found(side: Side) -> Iterator[Problem]:
    """Findings that several runs share are said once."""
    times: dict[tuple[str, str], list[Finding]] = {}
    for run in side.runs:
        for finding in run.findings:
            if finding.rule not in VERDICT_RULES and (finding.subject or finding.evidence):
                times.setdefault((finding.rule, finding.subject), []).append(finding)
    for group in times.values():
        one = group[0]
        severity = one.severity if one.severity in SEVERITIES else "warning"
        yield Problem(severity, one.subject, one.evidence, one.advice, len(group))


def _half_width(result: Result) -> float:
    """Of the median's interval, as a part of the median; 0 where there is no interval."""
    samples = result.samples
    if samples is None or samples.interval is None:
        return 0
    return (samples.interval[1] - samples.interval[0]) / 2 / samples.median


def _percent(part: float) -> str:
    return f"±{100 * part:.0f} %" if part <= 1 else "more than ±100 %"


def _imprecision(side: Side) -> Iterator[Problem]:
    noisy = [r for r in side.results if _half_width(r) > WIDE_INTERVAL]
    if not noisy:
        return
    worst = max(noisy, key=_half_width)
    longer = "-n" if worst.pair or worst.copy else "-n or --stop ci=1%,max=5s"
    yield Problem(
        NOTICE, "single calls vary",
        f"{len(noisy)} of {len(side.results)} medians of the samples are known to worse than "
        f"±10 %, the worst to {_percent(_half_width(worst))} ({where_of(worst)})",
        f"measure longer, with {longer}, or look for other work on these cores",
    )


def problems_of(side: Side) -> list[Problem]:
    """The worst first. Advice is given once to several that follow each other."""
    found = [*_wrong(side), *_endings(side), *_found(side), *_imprecision(side)]
    found.sort(key=lambda p: SEVERITIES.index(p.severity))
    return [replace(p, advice="") if after and after.advice == p.advice else p
            for p, after in zip_longest(found, found[1:])]
