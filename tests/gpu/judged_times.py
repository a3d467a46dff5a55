"""Two programs' times of one size: their medians, how they scatter, and whether they are alike."""

import statistics
from dataclasses import asdict, dataclass

JUDGED_FROM_BYTES = 4 << 20  # below, a call takes as long as its launch
RATIOS = (0.99, 1.01)
HOST_TIME_US = 0.1
ROUNDING_US = 1e-9  # of the difference of two times with two decimals
HEADING = (f"{'size (B)':>12} {'theirs us':>10} {'ours us':>10} {'ratio':>6} {'spread':>7} "
           f"{'spread':>7} | in place {'ratio':>19}")


@dataclass(frozen=True)
class JudgedTimes:
    """Medians of one size and placement; a spread is (largest - smallest) / median."""

    theirs_us: float
    ours_us: float
    theirs_spread: float
    ours_spread: float

    def record(self) -> dict[str, float]:
        return asdict(self) | {"ratio": self.ratio}

    @property
    def ratio(self) -> float:
        return self.ours_us / self.theirs_us if self.theirs_us else float("inf")


def spread(times_us: list[float]) -> float:
    median_us = statistics.median(times_us)
    return (max(times_us) - min(times_us)) / median_us if median_us else 0.0


def judged_times(theirs_us: list[float], ours_us: list[float]) -> JudgedTimes:
    return JudgedTimes(statistics.median(theirs_us), statistics.median(ours_us),
                       spread(theirs_us), spread(ours_us))


def judgement(size: int, out_of_place: JudgedTimes, in_place: JudgedTimes, *,
              host_time: bool = False, own_kernels: bool = False) -> str:
    """Inside, outside, or not judged. A rank alone does nothing in place but call: this is its host
    time, and counts as nothing else; out of place the launch varies by tenths of a us. Kernels of
    one's own (-D) may be faster."""
    if host_time:
        inside = in_place.ours_us - in_place.theirs_us <= HOST_TIME_US + ROUNDING_US
    elif size < JUDGED_FROM_BYTES:
        return "not judged"
    else:
        lowest = 0 if own_kernels else RATIOS[0]
        inside = lowest <= out_of_place.ratio <= RATIOS[1]
    return "inside" if inside else "outside"


def text_of(size: int, out_of_place: JudgedTimes, in_place: JudgedTimes, judged: str) -> str:
    marks = {"outside": "  <- outside", "inside": "  inside", "not judged": ""}
    return (f"{size:>12} {out_of_place.theirs_us:>10.2f} {out_of_place.ours_us:>10.2f} "
            f"{out_of_place.ratio:>6.3f} {out_of_place.theirs_spread:>7.3f} "
            f"{out_of_place.ours_spread:>7.3f} | {in_place.theirs_us:>10.2f} "
            f"{in_place.ours_us:>10.2f} {in_place.ratio:>6.3f}{marks[judged]}")
