"""The tables of the page: machine, competitors, limits, harness, targets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from competitors import COMPETITORS
from console import ratio_text
from results import OURS, Results
from targets import OVERHEAD_NS, Verdict, verdicts
from units import figures, format_bytes


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def machine_table(results: Results) -> str:
    info = results.info
    caches = ", ".join(f"{name} {size}iB" for name, size in info["caches"].items())
    pools = ", ".join(f"{format_bytes(size)} with {n} ranks"
                      for n, size in info["pool_bytes"].items())
    return table(("machine", ""), (
        ("CPU", f"{info['cpu_model']}, {info['ncores']} cores"
                f"{', a virtual machine' if info['virtual'] else ''}"),
        ("caches, as the kernel says", caches),
        ("memory", format_bytes(info["memory_bytes"])),
        ("huge pages", info["huge_pages"]),
        ("kernel", info["kernel"]),
        ("all buffers", pools),
        ("measured", f"{info['start_time']}, in {results.end.get('took_s', 0) / 60:.1f} minutes")))


def competitors_table(results: Results) -> str:
    rows = []
    for competitor in COMPETITORS:
        key = competitor.key
        reason = results.lost.get(key)
        version = results.versions.get(key)
        if key not in {cell for of_case in results.cells.values() for cell in of_case}:
            state = f"left out: {reason}" if reason else "not asked for"
        else:
            state = (version or "this build") + (f"; lost later: {reason}" if reason else "")
        rows.append((key, competitor.label, state))
    return table(("key", "competitor", "version"), rows)


def limits_table(results: Results) -> str:
    if not results.limits:
        return ""
    names = [k for k in results.limits[0] if k.endswith("_gbps")]
    rows = ((line["when"], str(line["nthreads"]), figures(line["flag_ns"]),
             *(figures(line[name]) for name in names)) for line in results.limits)
    shown = [name.removesuffix("_gbps").replace("_", " ") + " GB/s" for name in names]
    return table(("", "threads", "flag round trip ns", *shown), rows)


def overheads_table(results: Results) -> str:
    return table(("ranks", "bytes", "added by the harness, ns per call", "target", ""), (
        (str(o["nranks"]), str(o["bytes"]),
         f"{o['added_ns']} [{o['ci95_low_ns']} – {o['ci95_high_ns']}]",
         f"≤ {OVERHEAD_NS:g}", "met" if o["added_ns"] <= OVERHEAD_NS else "**missed**")
        for o in results.overheads))


def _reached(verdict: Verdict) -> str:
    if verdict.reached is None or verdict.at is None:
        return "no figure"
    met = "met" if verdict.met else "**missed**"
    return f"{ratio_text(verdict.reached)} at {format_bytes(verdict.at.bytes)}, {met}"


def targets_table(results: Results) -> str:
    """One row a target; what counts is the worst size of its band."""
    rows = []
    for threads, processes, private in zip(*(verdicts(results, key) for key in OURS), strict=True):
        rows.append((threads.setting, threads.collective, threads.what, f"{threads.target:g}",
                     _reached(threads), _reached(processes), ratio_text(private.reached)))
    return table(("setting", "collective", "sizes", "target", "threads", "processes", "private"),
                 rows)


def score(results: Results) -> str:
    """How many of the targets that were measured are met, for threads and for processes."""
    parts = []
    for key in OURS[:2]:
        judged = [v for v in verdicts(results, key) if v.reached is not None]
        parts.append(f"{key} {sum(v.met for v in judged)} of {len(judged)}")
    return ", ".join(parts)
