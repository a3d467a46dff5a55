"""Who is measured: one row for each competitor, how its ranks start, and what it needs."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

OPEN_MPI = ("mpirun.openmpi", "mpirun")
MPICH = ("mpiexec.mpich", "mpiexec.hydra")


@dataclass(frozen=True)
class Competitor:
    """`launchers`: names of the program that starts its ranks, empty where bench_peer forks them;
    `module`: the folder below the build folder that holds its module, empty where it has none."""

    key: str
    label: str
    ours: bool
    backend: str
    kind: str = "processes"  # or threads
    private_buffers: bool = False
    launchers: tuple[str, ...] = ()
    launcher_flags: tuple[str, ...] = ()
    module: str = ""


COMPETITORS = (
    Competitor("threads", "linerate, threads", True, "host", kind="threads"),
    Competitor("processes", "linerate, processes", True, "host"),
    Competitor("private", "linerate, processes, private buffers", True, "host",
               private_buffers=True),
    Competitor("openmpi", "Open MPI, vader with CMA", False, "mpi", launchers=OPEN_MPI,
               launcher_flags=("--bind-to", "none", "--mca", "pml", "ob1",
                               "--mca", "btl_vader_single_copy_mechanism", "cma"),
               module="lib"),
    Competitor("openmpi_ucx", "Open MPI over UCX", False, "mpi", launchers=OPEN_MPI,
               launcher_flags=("--bind-to", "none", "--mca", "pml", "ucx", "--mca",
                               "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any"),
               module="lib"),
    Competitor("mpich", "MPICH", False, "mpi", launchers=MPICH, module="benchmarks/mpich"),
    Competitor("gloo", "Gloo, TCP over loopback", False, "gloo", module="lib"),
)


def launcher_of(competitor: Competitor) -> str | None:
    """Where its launcher is; None where it is missing, or none is needed."""
    return next(filter(None, map(shutil.which, competitor.launchers)), None)


def reason_to_skip(competitor: Competitor, build: Path) -> str | None:
    """Why it cannot take part here; None: it can, as far as files tell."""
    if competitor.launchers and launcher_of(competitor) is None:
        return f"{competitor.launchers[0]} is not installed (make deps-bench)"
    module = build / competitor.module / f"liblinerate-{competitor.backend}.so"
    if competitor.module and not module.is_file():
        return f"{module.name} was not built: its library is not here (make deps-bench)"
    return None


def _launch(competitor: Competitor, nranks: int) -> list[str]:
    launcher = launcher_of(competitor)
    if launcher is None:
        count = "--nthreads" if competitor.kind == "threads" else "--nprocs"
        return [count, str(nranks)]
    words = [launcher, "-n", str(nranks), *competitor.launcher_flags]
    if competitor.launchers is OPEN_MPI:
        words += ["--allow-run-as-root"] if os.geteuid() == 0 else []
        # Said only where it is so: Open MPI then yields the core instead of spinning.
        words += ["--oversubscribe"] if nranks > len(os.sched_getaffinity(0)) else []
    return words


def command_of(competitor: Competitor, nranks: int, build: Path) -> list[str]:
    """What starts its ranks, but for the socket and the size of the buffers."""
    peer = str(build / "benchmarks" / "bin" / "bench_peer")
    words = _launch(competitor, nranks)
    launched = competitor.launchers != ()
    command = [*words, peer] if launched else [peer, *words]
    command += ["--backend", competitor.backend]
    return command + (["--private-buffers"] if competitor.private_buffers else [])


def environment_of(competitor: Competitor, build: Path) -> dict[str, str]:
    """This process' variables without those of any launcher, which would mislead the ranks."""
    foreign = ("OMPI_", "PMIX_", "PMI_", "SLURM_", "RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
    return kept | {"LINERATE_MODULE_PATH": str(build / competitor.module)}
