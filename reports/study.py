"""The page of a study: report.html from the file of linerate sweep."""

from __future__ import annotations

import tempfile
from pathlib import Path

from contents import Contents
from looks import chart_style, variables
from matrices import Matrix
from runlog import BadInput, read_runs
from scene_svg import svg_of
from study_charts import draw_effects, draw_history, draw_scaling
from study_data import Study
from study_effects import UNSET, Effect, effects_of, medians_of
from study_trends import History, histories_of, scalings_of
from study_winners import ALIKE, Winner, spreads_of, winners_of
from units import factor, plural

MAX_SPREADS, MAX_WINNERS, MAX_CHARTS = 60, 40, 6


def _outcome_sentence(study: Study) -> str:
    counts = ", ".join(f"{count} {outcome}" for outcome, count in study.outcomes.most_common())
    cases, results = study.outcomes.total(), study.nresults
    return f"{plural(cases, 'case')}: {counts}; {plural(results, 'result')}."


def _ratio(ratio: float) -> str:
    """In words: 1.8 times as long."""
    return f"{factor(ratio)} times as long" if abs(ratio - 1) >= 0.005 else "as long"


def _pairs(effect: Effect) -> str:
    """How sure it is."""
    said = f"{plural(len(effect.run_logs), 'pair')} of runs"
    if effect.interval is None:
        return f"{said}, too few for an interval"
    return "{}, 95 %: {} to {}".format(said, *map(factor, effect.interval))


def _effect_sentence(effect: Effect) -> str:
    against = (f"without {effect.setting}" if effect.against == UNSET
               else f"with {effect.setting}={effect.against}")
    return (f"With {effect.setting}={effect.value} calls take {_ratio(effect.ratio)} as {against} "
            f"({_pairs(effect)}).")


def _sentences(winners: list[Winner], effects: list[Effect], histories: list[History]) -> list[str]:
    """The answer: what to ship, and what matters."""
    said = []
    if winners:
        best = winners[0]
        said.append(f"Least time overall: {best.words}. It is fastest, or within 3 % of that, in "
                    f"{best.fastest} of {plural(best.calls, 'call')}, and takes "
                    f"{100 * best.loss:.1f} % more than the best of each on average.")
    said += [_effect_sentence(effect) for effect in effects if not effect.may_be_none][:3]
    slower = [one for one in histories if one.outside == "slower" and one.ratio > ALIKE]
    if slower:
        said.append(f"Slower than in each of {len(slower[0].before_us)} runs before: "
                    f"{slower[0].what.words} "
                    f"({slower[0].settings}), {_ratio(slower[0].ratio)} as their median"
                    f"{f', and {len(slower) - 1} more' if len(slower) > 1 else ''}.")
    return said


def _matrices(study: Study) -> list[Matrix]:
    """Of the last case that timed pairs of ranks."""
    found: list[Matrix] = []
    for text in study.pair_records:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            try:
                found += Contents(read_runs(Path(file.name))).matrices
            except BadInput:
                continue
    return found


def write_study(study: Study, folder: Path, title: str) -> Path:
    """The page needs nothing but itself."""
    from markupsafe import Markup

    from page import FOLDER, templates

    medians = medians_of(study)
    effects, histories = effects_of(study, medians), histories_of(study)
    spreads, winners = spreads_of(study, medians), winners_of(study, medians)
    scalings = scalings_of(study, medians)
    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    page = templates(True).get_template("study.html.j2").render(
        title=title or study.name, study=study, outcomes=_outcome_sentence(study),
        sentences=_sentences(winners, effects, histories), effects=effects,
        effects_picture=Markup(svg_of(draw_effects(effects), [])) if effects else "",
        winners=winners[:MAX_WINNERS], spreads=spreads[:MAX_SPREADS],
        left_out=max(0, len(spreads) - MAX_SPREADS),
        unit=scalings[0].unit if scalings else "",
        scalings=[(Markup(svg_of(draw_scaling(one), [])), list(one.lines))
                  for one in scalings[:MAX_CHARTS]],
        histories=histories, matrices=_matrices(study),
        pictures=[(Markup(svg_of(draw_history(one), [])), [one.settings])
                  for one in histories[:MAX_CHARTS]],
        style=Markup(variables() + chart_style(embedded=True) + style))
    written = folder / "report.html"
    written.write_text(page, encoding="utf-8")
    return written
