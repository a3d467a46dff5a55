"""Emulated networks against their own alpha-beta model: time = alpha + beta * bytes.

Measures calls of several sizes on networks of 2 to 8 nodes, fits both parameters and compares them
with what the file says. Exit 1 where one of them is off by more than 5 %. Before that: what a call
costs on this machine when the network costs nothing, the floor of what can be emulated.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

BIN = Path(__file__).parents[1] / "build" / "bin"
TOLERATED = 0.05
LATENCY_US = 20.0  # of a path: two NICs
GBPS = 2.0
DILATION = 40
SIZES = ("-b", "16K", "-e", "128K", "-i", "16K")  # one piece a round: latencies do not overlap


@dataclass(frozen=True)
class Subject:
    """A call, and its latencies and bytes for each byte of the table's size among n ranks."""

    name: str
    words: tuple[str, ...]
    rounds: Callable[[int], float]
    factor: Callable[[int], float]


SUBJECTS = (
    Subject("sendrecv", ("sendrecv_perf",), lambda n: 1, lambda n: 1),
    Subject("all_reduce ring", ("all_reduce_perf", "--algo", "ring"),
            lambda n: 2 * (n - 1), lambda n: 2 * (n - 1) / n),
    Subject("all_reduce flat", ("all_reduce_perf", "--algo", "flat"),  # it reads, then writes
            lambda n: 2, lambda n: 2 * (n - 1) / n),
    Subject("all_reduce doubling", ("all_reduce_perf", "--algo", "recursive_doubling"),
            lambda n: n.bit_length() - 1, lambda n: n.bit_length() - 1),
)


def network(nodes: int, gbps: float, latency_us: float, dilation: int) -> str:
    return (f"nodes: {nodes}\nranks_per_node: 1\ndilation: {dilation}\n"
            f"nic: {{bandwidth: {gbps} GB/s, latency: {latency_us / 2} us}}\n")


def times_us(folder: Path, text: str, nranks: int, *words: str) -> dict[int, list[float]]:
    """The windows of each size."""
    (folder / "network.yaml").write_text(text)
    results = folder / "run.jsonl"
    results.unlink(missing_ok=True)
    subprocess.run([BIN / words[0], *words[1:], "--emulate", folder / "network.yaml", "-t",
                    str(nranks), "--jsonl", results, "-w", "2"],
                   check=True, capture_output=True)
    found: dict[int, list[float]] = {}
    for line in map(json.loads, results.read_text().splitlines()):
        if line["kind"] == "result":
            found.setdefault(line["case"]["bytes"], []).append(line["window"]["time_us"])
    return found


def fit(points: dict[int, float]) -> tuple[float, float]:
    """alpha and beta with the least sum of squared relative errors."""
    weight = {x: 1 / y**2 for x, y in points.items()}
    total = sum(weight.values())
    mean_x = sum(w * x for x, w in weight.items()) / total
    mean_y = sum(weight[x] * y for x, y in points.items()) / total
    covariance = sum(weight[x] * (x - mean_x) * (y - mean_y) for x, y in points.items())
    beta = covariance / sum(w * (x - mean_x)**2 for x, w in weight.items())
    return mean_y - beta * mean_x, beta


def check(folder: Path, subject: Subject, nodes: int) -> bool:
    points = times_us(folder, network(nodes, GBPS, LATENCY_US, DILATION), nodes, *subject.words,
                      *SIZES, "-n", "20", "-N", "3", "-c", "0")
    alpha, beta = fit({size: median(times) for size, times in points.items()})
    said_alpha = subject.rounds(nodes) * LATENCY_US
    said_beta = subject.factor(nodes) / GBPS / 1e3  # us per byte
    off = alpha / said_alpha - 1, beta / said_beta - 1
    print(f"{subject.name:<20} {nodes} nodes  alpha {alpha:8.2f} us of {said_alpha:6.1f} "
          f"({off[0]:+6.1%})  1/beta {1e-3 / beta:6.3f} GB/s of {1e-3 / said_beta:6.3f} "
          f"({off[1]:+6.1%})", flush=True)
    return max(map(abs, off)) <= TOLERATED


def show_floor(folder: Path, nranks: int) -> None:
    free = network(nranks, 1e6, 0, 1)
    for name, words in (("all_reduce eager", ("all_reduce_perf", "--algo", "eager")),
                        ("all_reduce ring", ("all_reduce_perf", "--algo", "ring"))):
        (times,) = times_us(folder, free, nranks, *words, "-b", "8", "-e", "8", "-n", "500",
                            "-N", "10", "-c", "0").values()
        print(f"{name:<20} {nranks} ranks  {min(times):8.2f} us a call at best, "
              f"{median(times):.2f} in the median, when the network is free", flush=True)


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for nranks in (2, 4, 8):
            show_floor(folder, nranks)
        good = [check(folder, subject, nodes) for subject in SUBJECTS for nodes in (2, 4, 8)]
    print(f"{sum(good)} of {len(good)} fits are within {TOLERATED:.0%}")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
