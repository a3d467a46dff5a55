"""How fast a result should be, and whether it is: as the run judged it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from checked import Object, number_of, optional_number, text_of
from units import significant

# Worst first. A run of an older version calls its verdicts otherwise.
VERDICTS = ("low", "above", "unsure", "ok")
OTHER_NAMES = {"above the bound": "above", "unstable machine": "unsure"}
ABOVE_BOUND = 1.05  # of files that give a share of the bound as their threshold


@dataclass(frozen=True)
class Expectation:
    """Bus bandwidth in GB/s: what is expected, and the range of healthy machines around it."""

    busbw_gbps: float
    low_gbps: float
    high_gbps: float  # infinite where no upper end is known
    bound_by: str
    slack: float  # by what factor the range is wider below, where something disturbed the result
    efficiency: float  # busbw by the time of the slowest rank / expected busbw
    verdict: str  # one of VERDICTS, or what a later version says

    @property
    def range_text(self) -> str:
        low = significant(self.low_gbps)
        return f"{low} to {significant(self.high_gbps)}" if self.high_gbps < math.inf else \
            f"{low} or more"

    def settled(self, slack: float) -> Expectation:
        """With what disturbed the whole run, which is known at its end: what was low or above may
        be within the wider range."""
        if slack <= 1:
            return self
        wider = replace(self, slack=self.slack * slack, high_gbps=self.high_gbps * slack)
        got_gbps = self.efficiency * self.busbw_gbps
        if self.verdict == "low" and got_gbps * wider.slack >= self.low_gbps:
            return replace(wider, verdict="unsure")
        if self.verdict == "above" and got_gbps <= wider.high_gbps:
            return replace(wider, verdict="ok")
        return wider

    @property
    def shortfall(self) -> float:
        """The reached part of the least that is healthy: below 1 the result is low."""
        return self.efficiency * self.busbw_gbps / self.low_gbps if self.low_gbps > 0 else 1.0


def verdict_of(value: object) -> str:
    word = text_of(value)
    return OTHER_NAMES.get(word, word)


def _range(line: Object, expected: float) -> tuple[float, float]:
    low, high = (optional_number(line, f"expected_{end}_gbps") for end in ("low", "high"))
    part = optional_number(line, "low_below")
    if low is None:
        low = expected * part if part is not None else expected
    if high is None:
        high = expected * ABOVE_BOUND if part is not None else math.inf
    if low > high:
        raise ValueError("expected_low_gbps is above expected_high_gbps")
    return low, high


def slack_of(line: Object) -> float:
    """1 where none is given."""
    slack = optional_number(line, "slack")
    return 1.0 if slack is None else max(slack, 1.0)


def expectation_of(line: Object, busbw_gbps: float) -> Expectation | None:
    """None where the run expected nothing of this result."""
    if line.get("expected_busbw_gbps") is None:
        return None
    expected = number_of(line["expected_busbw_gbps"], "expected_busbw_gbps")
    if expected <= 0:
        return None
    low, high = _range(line, expected)
    reached = optional_number(line, "efficiency")
    efficiency = busbw_gbps / expected if reached is None else reached
    return Expectation(
        expected, low, high, text_of(line.get("bound_by")), slack_of(line), efficiency,
        verdict_of(line.get("verdict")),
    )


@dataclass(frozen=True)
class Finding:
    """What a rule found, in words that go on after each other."""

    rule: str
    severity: str
    subject: str
    evidence: str
    advice: str


def finding_of(line: Object) -> Finding:
    texts = (text_of(line.get(key)) for key in ("rule", "severity", "subject", "evidence",
                                                "advice"))
    return Finding(*texts)
