"""What a chart says when it is pointed at: all its values at one size."""

from __future__ import annotations

from cases import Case, Figure
from changes import percent
from curve_chart import sizes_of
from panels import Panel
from ratio_chart import RatioPanel
from units import format_bytes, format_gbps, format_time, significant

NOTEWORTHY = 1.01  # slack from which on it is said


def judged_text(figure: Figure) -> str:
    """The expected range, and the verdict."""
    expected = figure.expected
    if expected is None:
        return ""
    word = figure.verdict
    if figure.repeats > 1:
        word += f" in {figure.count(figure.verdict)} of {figure.repeats} runs"
    bound = f", bound by {expected.bound_by}" if expected.bound_by else ""
    wider = f", {significant(expected.slack)} times wider below: disturbed" \
        if expected.slack > NOTEWORTHY else ""
    return (f"expected {significant(expected.busbw_gbps)} ({expected.range_text}{wider}){bound}: "
            f"{word}")


def model_text(figure: Figure) -> str:
    model = figure.middle.ncclmodel_gbps
    return f"NCCL's tuner believes {format_gbps(model)}" if model is not None else ""


def figure_text(figure: Figure) -> str:
    """Lines for one result."""
    values = [format_gbps(figure.busbw_gbps)] if figure.busbw_gbps > 0 else []
    text = ", ".join([*values, format_time(figure.time_us)])
    if figure.repeats > 1:
        times = [result.time_us for result in figure.results]
        text += (f"; {figure.repeats} runs, {format_time(min(times))} to "
                 f"{format_time(max(times))}")
    ran = str(figure.middle.ran)
    extra = [part for part in (judged_text(figure), model_text(figure), ran) if part]
    return "\n  ".join([text, *extra])


def panel_tips(panel: Panel) -> list[str]:
    """By size, in the order of the places to point at."""
    lines = {size: [format_bytes(size)] for size in sizes_of(panel)}
    for curve, name in zip(panel.curves, panel.names, strict=True):
        head = f"{name}, {curve.placement}" if name else curve.placement
        for figure in curve.figures:
            lines[figure.case.bytes].append(f"{head}: {figure_text(figure)}")
    return ["\n".join(some) for some in lines.values()]


def ratio_tips(panel: RatioPanel) -> list[str]:
    lines = {size: [format_bytes(size)] for size in panel.sizes}
    for (_, label, placement), changes in panel.curves.items():
        for change in changes:
            lines[change.case.bytes].append(
                f"{label}, {placement}: {percent(change.ratio)}, "
                f"{format_time(change.base.time_us)} before, "
                f"{format_time(change.other.time_us)} now")
    return ["\n".join(some) for some in lines.values()]


def cell_tip(case: Case, figure: Figure) -> str:
    return f"{case.trait.collective}, {case.where}: {figure_text(figure)}"
