"""What `linerate compare` says of two sides: it alone knows the statistics between runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from cases import Case, Trait
from checked import Object, number_of, printable, text_of
from units import format_bytes, plural, significant

WORDS = ("SLOWER", "FASTER", "SAME", "UNSURE")
CHANGED = WORDS[:2]
STATISTICS = {"median": "the median of each run's samples", "window": "the timed window",
              "min": "the shortest sample of each run"}


@dataclass(frozen=True)
class Verdict:
    """One of WORDS, and the times of B by those of A: above 1, B is slower."""

    word: str
    ratio: float
    interval: tuple[float, float] | None  # 95 %; None of too few runs

    @property
    def effect(self) -> str:
        if self.interval is None:
            return significant(self.ratio)
        low, high = (f"{end:.3f}" for end in self.interval)
        return f"{self.ratio:.3f} [{low}, {high}]"


@dataclass(frozen=True)
class Verdicts:
    """By case, and all of them in sentences. Cases are empty where there are none."""

    sentences: list[str]
    cases: dict[Case, Verdict] = field(default_factory=dict)
    statistic: str = ""

    @property
    def certain(self) -> bool:
        """Whether there are runs enough for intervals."""
        return any(verdict.interval for verdict in self.cases.values())


Found = list[tuple[Object, Verdict]]  # a line of the answer's cases, and what it says


def _case(line: Object) -> Case:
    case = line["case"]
    trait = Trait(*(case[key] for key in ("collective", "type", "redop", "root")), line["group"])
    return Case(trait, case["bytes"], case["placement"].replace("_", " "))


def _verdict(line: Object) -> Verdict:
    ends = [line.get(f"ci95_{end}") for end in ("low", "high")]
    interval = None if None in ends else (float(ends[0]), float(ends[1]))
    return Verdict(text_of(line["verdict"]), number_of(line["ratio"], "ratio"), interval)


def _where(case: Object) -> str:
    place = case.get("cell") or case["placement"].replace("_", " ")
    if "pair" in case:
        place = "ranks {} and {}".format(*case["pair"])
    return printable(f"{case['collective']}, {format_bytes(case['bytes'])}, {place}")


def _most(found: Found) -> str:
    line, most = max(found, key=lambda one: max(one[1].ratio, 1 / max(one[1].ratio, 1e-9)))
    return f"Most in {_where(line['case'])}: {most.effect} times A's time."


def _sentences(answer: Object, names: tuple[str, str], found: Found) -> list[str]:
    nruns = [max((line[side]["nruns"] for line, _ in found), default=0) for side in "ab"]
    a, b = (f"{name}, {plural(n, 'run')}" for name, n in zip(names, nruns, strict=True))
    counts = [(word, sum(verdict.word == word for _, verdict in found)) for word in WORDS]
    said = ", ".join(f"{word} in {count}" for word, count in counts if count)
    sentences = [f"linerate compare (A: {a}; B: {b}): {said} of {plural(len(found), 'case')}."]
    if changed := [one for one in found if one[1].word in CHANGED]:
        sentences.append(_most(changed))
    return sentences + [f"{text_of(caution).rstrip('.')}." for caution in answer["cautions"]]


def verdicts_of(answer: Object, names: tuple[str, str]) -> Verdicts:
    """Of the object that `linerate compare --json` prints; pairs and copies are no cases. Raises
    KeyError, TypeError or ValueError where it is another one."""
    found = [(line, _verdict(line)) for line in answer["cases"]]
    cases = {_case(line): verdict for line, verdict in found
             if not {"pair", "cell"} & line["case"].keys()}
    return Verdicts(_sentences(answer, names, found), cases,
                    STATISTICS.get(answer["statistic"], ""))
