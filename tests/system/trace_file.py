"""The trainers' trace as viewers read it: Chrome's Trace Event Format, and what Perfetto adds."""

import json
from dataclasses import dataclass
from pathlib import Path

PHASES = {"M": {"name", "ph", "pid", "tid", "args"},
          "X": {"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"}}
NAMED = {"process_name", "process_labels", "process_sort_index", "thread_name"}


@dataclass(frozen=True)
class Slice:
    name: str
    category: str
    start_ns: int
    end_ns: int
    args: dict


def nanoseconds(us: float) -> int:
    return round(us * 1000)


def check(trace: dict) -> None:
    """Raises AssertionError where a viewer would drop or misplace an event."""
    assert trace["displayTimeUnit"] in ("ms", "ns")
    for event in trace["traceEvents"]:
        assert set(event) == PHASES[event["ph"]], event
        assert 0 < event["pid"] < 2**31 and 0 < event["tid"] < 2**31, event  # 0: the idle process
        if event["ph"] == "M":
            assert event["name"] in NAMED, event
        else:
            assert event["ts"] >= 0 and event["dur"] >= 0, event


def threads(trace: dict) -> dict[tuple[str, str], list[Slice]]:
    """The slices of each (process, thread), both by their names, in the order of their starts."""
    processes, names, slices = {}, {}, {}
    for event in trace["traceEvents"]:
        if event["name"] == "process_name":
            processes[event["pid"]] = event["args"]["name"]
        if event["name"] == "thread_name":
            names[event["pid"], event["tid"]] = event["args"]["name"]
    for event in trace["traceEvents"]:
        if event["ph"] != "X":
            continue
        start = nanoseconds(event["ts"])
        key = (processes[event["pid"]], names[event["pid"], event["tid"]])
        slices.setdefault(key, []).append(
            Slice(event["name"], event["cat"], start, start + nanoseconds(event["dur"]),
                  event["args"]))
    for thread in slices.values():
        thread.sort(key=lambda one: (one.start_ns, -one.end_ns))
    return slices


def check_nesting(thread: list[Slice]) -> None:
    """Complete events of a thread lie within each other or apart: all viewers demand it."""
    open_ends: list[int] = []
    for one in thread:
        while open_ends and open_ends[-1] <= one.start_ns:
            open_ends.pop()
        assert not open_ends or one.end_ns <= open_ends[-1], one
        open_ends.append(one.end_ns)


def read(path: Path) -> dict[tuple[str, str], list[Slice]]:
    trace = json.loads(path.read_text())
    check(trace)
    found = threads(trace)
    for thread in found.values():
        check_nesting(thread)
    return found


def of_step(thread: list[Slice], step: int) -> list[Slice]:
    return [one for one in thread if one.args["step"] == step]
