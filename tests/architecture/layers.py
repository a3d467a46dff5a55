"""The map of the house: which folder may include which, and who owns a foreign header."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Folder:
    """`path` is the folder from the repository's root; `prefix` is how #include "…" names it."""

    name: str
    path: str
    prefix: str
    level: int


def _under_src(name: str, level: int) -> Folder:
    return Folder(name, f"src/{name}", name, level)


FOLDERS = (
    _under_src("base", 0),
    *(_under_src(name, 1) for name in ("comm", "pattern", "stats", "record", "yaml", "model")),
    Folder("collectives", "collectives", "collectives", 1),
    Folder("topo", "topo", "topo", 2),
    *(_under_src(f"devices/{kind}", 2) for kind in ("cpu", "cuda")),
    *(_under_src(f"backends/{kind}", 2) for kind in ("host", "mpi", "gloo", "nccl", "fake")),
    _under_src("backends", 2),
    _under_src("launch", 2),
    *(_under_src(name, 3) for name in ("job", "bench")),
    Folder("trainers", "trainers", "trainers", 3),
    *(_under_src(name, 4) for name in ("diagnose", "output", "compare", "scale", "sweep", "tune",
                                       "plan", "pairs", "replay")),
    *(_under_src(name, 5) for name in ("cli", "commands")),
    Folder("trainers/programs", "trainers/programs", "trainers/programs", 5),
    Folder("main", "src", "main", 6),
    Folder("benchmarks", "benchmarks", "benchmarks", 6),
)

ROOTS = ("trainers/train_*.cc", "trainers/math_perf.cc")  # composition roots beside src/main.cc


@dataclass(frozen=True)
class Arrow:
    """`source` may include `target`, folder names with wildcards, for this reason."""

    source: str
    target: str
    reason: str


# Inside one level. Everything lower is allowed without an arrow.
ARROWS = (
    Arrow("record", "stats", "a record holds the summary of its samples"),
    Arrow("record", "comm", "a record holds types, operators and the first wrong element"),
    Arrow("model", "collectives", "what results must hold is what closed forms start from"),
    Arrow("model", "comm", "a call has a type and an operator"),
    Arrow("model", "record", "a bound is what a record holds of it"),
    Arrow("model", "stats", "a healthy node reaches the median"),
    Arrow("collectives", "comm", "a collective is a call on a Communicator"),
    Arrow("pattern", "comm", "the generator is typed by DataType and RedOp"),
    Arrow("devices/*", "topo", "a device asks where its memory and cores are"),
    Arrow("backends/*", "devices/*", "a backend moves and reduces a device's memory"),
    Arrow("backends/*", "topo", "a backend asks which ranks share a cache or a node"),
    Arrow("backends/gloo", "launch", "its connections take the interfaces that launch finds"),
    Arrow("backends", "backends/*", "the registry builds host and fake in"),
    *(Arrow(part, "job", "it is a job of ranks") for part in ("bench", "trainers")),
    Arrow("diagnose", "compare", "what other programs printed is examined too"),
    *(Arrow(part, "output", "numbers are in the same words") for part in ("compare", "sweep")),
    *(Arrow("tune", part, "turns, and facts on variables") for part in ("compare", "diagnose")),
    Arrow("commands", "cli", "a command runs what the command line parsed"),
    Arrow("trainers/programs", "cli", "a trainer runs what the command line parsed"),
    Arrow("trainers/programs", "commands", "a trainer is a program as linerate is"),
)

# Lower folders that stay hidden from upper ones all the same.
FORBIDDEN = (
    Arrow("bench", "devices/*", "bench sees comm's Device, never one kind of it"),
    *(Arrow(part, "backends*", "it sees a Communicator alone") for part in ("bench", "trainers")),
    Arrow("diagnose", "backends*", "rules work on evidence, never on a backend"),
    Arrow("diagnose", "launch", "rules work on evidence, on any machine"),
    *(Arrow(part, lower, "it sees records only") for part in ("output", "compare")
      for lower in ("backends*", "devices/*", "launch")),
)


@dataclass(frozen=True)
class Foreign:
    """A library's headers, as a regular expression, and the folders that may include them."""

    header: str
    homes: tuple[str, ...]


FOREIGN = (
    Foreign(r"mpi(-ext)?\.h", ("backends/mpi",)),
    Foreign(r"nccl\w*\.h", ("backends/nccl",)),
    Foreign(r"(cuda|cublas|nvml|nvtx)[\w/]*\.(h|hpp)|cub/.*", ("devices/cuda",)),
    Foreign(r"hwloc(/.*)?\.h", ("topo",)),
    Foreign(r"(cblas|lapacke|openblas\w*)\.h", ("devices/cpu",)),
    Foreign(r"gloo/.*", ("backends/gloo",)),
    Foreign(r"sqlite3\.h", ("sweep",)),
    Foreign(r"zlib\.h", ("trainers", "replay")),
    Foreign(r"yaml-cpp/.*", ("yaml",)),
    Foreign(r"(infiniband|rdma)/.*", ("topo",)),
)


def allowed(source: Folder, target: Folder) -> bool:
    """Whether a file of `source` may include a header of `target`."""
    pair = (source.name, target.name)
    if source is target:
        return True
    if any(fnmatchcase(pair[0], a.source) and fnmatchcase(pair[1], a.target) for a in FORBIDDEN):
        return False
    if target.level != source.level:
        return target.level < source.level
    return any(fnmatchcase(pair[0], a.source) and fnmatchcase(pair[1], a.target) for a in ARROWS)
