"""The machine: what it says of itself, what its memory can do, and whether it has changed."""

from __future__ import annotations

import os
import platform
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from jobs import Job

KERNELS = ("read", "write", "nt_write", "copy", "nt_copy", "triad")
# Between the two regimes that virtual machines flip through, flags differ 4x and writes 2x.
FLAG_CHANGE = 1.6
WRITE_CHANGE = 1.25


def _text(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def _cpu_model() -> str:
    lines = _text("/proc/cpuinfo").splitlines()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def _caches() -> dict[str, str]:
    """As the kernel says: {"L1d": "48K", "L2": "2048K", "L3": "32768K"}."""
    found = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind = _text(f"{index}/type")
        if kind != "Instruction":
            found[f"L{_text(f'{index}/level')}{'d' if kind == 'Data' else ''}"] = _text(
                f"{index}/size")
    return found


def last_level_cache_bytes() -> int:
    size = list(_caches().values() or ["0"])[-1]
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(size[-1:], 1)
    return int(size.rstrip("KMG") or 0) * unit


def describe() -> dict[str, Any]:
    total = _text("/proc/meminfo").split()
    return {
        "start_time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "cpu_model": _cpu_model(),
        "ncores": len(os.sched_getaffinity(0)),
        "caches": _caches(),
        "memory_bytes": int(total[1]) * 1024 if len(total) > 1 else 0,
        "huge_pages": _text("/sys/kernel/mm/transparent_hugepage/enabled"),
        "virtual": "hypervisor" in _text("/proc/cpuinfo"),
        "kernel": platform.release(),
    }


class Machine:
    """A job of one process that measures the machine on request, with three arrays."""

    def __init__(self, build: Path, array_bytes: int) -> None:
        program = str(build / "benchmarks" / "bin" / "bench_machine")
        self._job = Job([program, "--array-bytes", str(array_bytes)], 1, dict(os.environ))

    def _best(self, kernel: str, nthreads: int, repeats: int) -> float:
        """The most that was reached: what the machine can do is not what others left of it."""
        request = {"kernel": kernel, "nthreads": nthreads, "repeats": repeats}
        values = self._job.ask(request)[0]["values"]
        if not values:
            return 0.0
        return round(min(values) if kernel == "flag" else max(values), 2)

    def probe(self, nranks: int) -> dict[str, float]:
        """A fifth of a second: what tells the machine's regimes apart, and the limits of memory."""
        return {"flag_ns": self._best("flag", 2, 9),
                "nt_write_gbps": self._best("nt_write", nranks, 4),
                "nt_copy_gbps": self._best("nt_copy", nranks, 3)}

    def limits(self, nthreads: int) -> dict[str, float]:
        return {"flag_ns": self._best("flag", 2, 21),
                **{f"{kernel}_gbps": self._best(kernel, nthreads, 5) for kernel in KERNELS}}

    def close(self) -> None:
        self._job.close()


def has_changed(before: dict[str, float], after: dict[str, float]) -> bool:
    """Whether what was measured between the two probes mixes two machines."""
    def far(key: str, factor: float) -> bool:
        low, high = sorted((before[key], after[key]))
        return high > factor * low

    return far("flag_ns", FLAG_CHANGE) or far("nt_write_gbps", WRITE_CHANGE)
