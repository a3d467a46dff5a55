"""A run and its results, as linerate's JSON Lines hold them; each value is checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from calls import Ran, Samples, Skew, ran_of, samples_of, skew_of
from checked import Object, number_of, object_of, optional_number, time_of, whole_of, word_of
from copy_cell import Copy, copy_of
from expected import Expectation, Finding, expectation_of, slack_of

MAX_RANKS = 1024  # of a matrix of pairs
PLACEMENTS = ("out_of_place", "in_place")
TRAINERS = ("train_ddp", "train_fsdp")


@dataclass(frozen=True)
class Result:
    """One case, one placement, one group. `wrong` is None where nothing was checked."""

    collective: str
    type: str
    redop: str
    root: int
    placement: str
    bytes: int
    count: int
    group: int
    pair: tuple[int, int] | None
    copy: Copy | None
    time_us: float
    algbw_gbps: float
    busbw_gbps: float
    expected: Expectation | None
    ncclmodel_gbps: float | None
    samples: Samples | None
    skew: Skew
    ran: Ran
    touched_bytes: float | None  # of a rank's buffers, by the calls of the window
    wrong: int | None


@dataclass
class Run:
    """The run line as it stands, what follows it, and the end line if there is one."""

    path: Path
    info: Object
    results: list[Result] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    end: Object | None = None
    torn: bool = False
    name: str = ""  # that the user gave it

    def settle(self, end: Object) -> None:
        """Takes the end line, which has the last word on verdicts."""
        self.end, slack = end, slack_of(end)
        self.results = [
            replace(r, expected=r.expected.settled(slack)) if r.expected else r
            for r in self.results
        ]


def why_no_results(runs: Sequence[Run]) -> str:
    """What is the matter with runs that all have none."""
    programs = [run.info.get("program") for run in runs]
    if trainers := [name for name in TRAINERS if name in programs]:
        return f"it holds steps of {trainers[0]}, which are no benchmark's results."
    errors = [str(run.end["error"]) for run in runs if run.end and run.end.get("error")]
    return errors[-1] if errors else "there is nothing to draw."


def _placement(case: Object) -> str:
    if case["placement"] not in PLACEMENTS:
        raise ValueError("case.placement is neither out_of_place nor in_place")
    return str(case["placement"]).replace("_", " ")


def _pair(case: Object) -> tuple[int, int] | None:
    pair = case.get("pair")
    if pair is None:
        return None
    if not isinstance(pair, list) or len(pair) != 2:
        raise ValueError("case.pair is not a list of two ranks")
    source, dest = (whole_of(rank, "case.pair", most=MAX_RANKS - 1) for rank in pair)
    return source, dest


def result_of(line: Object) -> Result:
    """Raises ValueError or KeyError where a value is missing, of another kind or out of range."""
    case = object_of(line, "case")
    wrong = line.get("wrong")
    collective = word_of(case, "collective")
    busbw = number_of(line.get("busbw_gbps", 0), "busbw_gbps")
    return Result(
        root=whole_of(case["root"], "case.root", least=-1),
        collective=collective,
        type=word_of(case, "type"),
        redop=word_of(case, "redop"),
        placement=_placement(case),
        bytes=whole_of(case["bytes"], "case.bytes"),
        count=whole_of(case["count"], "case.count"),
        group=whole_of(line.get("group", 0), "group"),
        pair=_pair(case),
        copy=copy_of(line, collective),
        time_us=time_of(object_of(line, "window").get("time_us"), "window.time_us"),
        algbw_gbps=number_of(line.get("algbw_gbps", 0), "algbw_gbps"),
        busbw_gbps=busbw,
        expected=expectation_of(line, busbw),
        ncclmodel_gbps=optional_number(line, "ncclmodel_busbw_gbps"),
        samples=samples_of(line),
        skew=skew_of(line),
        ran=ran_of(line),
        touched_bytes=optional_number(line, "touched_bytes"),
        wrong=None if wrong is None else whole_of(wrong, "wrong"),
    )
