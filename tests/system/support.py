"""What the system tests share: the tools as a user starts them, and what they print."""

import json
import os
import shutil
import subprocess
import sys
import unittest
from dataclasses import dataclass
from pathlib import Path

BIN = Path(os.environ.get("LINERATE_BIN", Path(__file__).parents[2] / "build" / "bin"))
LIMIT_S = 120
LAUNCHER_PREFIXES = ("OMPI_", "PMIX_", "PMI_", "SLURM_", "RANK", "WORLD_SIZE", "LOCAL_RANK",
                     "MASTER_", "NCCL_TESTS_", "LINERATE_", "GLOO_")
# mpirun and its ranks would take munge while a munged runs: where another test's ends between the
# two, ranks end with "OPAL ERROR: Unreachable".
WITHOUT_MUNGE = {"PMIX_MCA_psec": "native"}
NOTHING_RAN = 77  # the exit code by which ctest knows a skipped test


@dataclass(frozen=True)
class Row:
    """One row of the table: both placements, numbers as printed."""

    size: int
    count: int
    type: str
    redop: str
    root: int
    out_of_place: tuple[str, str, str, str]
    in_place: tuple[str, str, str, str]


def tool(name: str) -> str:
    return str(BIN / name)


def environment(**extra: str) -> dict[str, str]:
    """This process' environment without any launcher's variables, plus `extra`; no GPU is seen."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHER_PREFIXES)}
    return kept | {"LINERATE_SYSFS": "/nowhere"} | WITHOUT_MUNGE | extra


def run(command: list[str], limit_s: float = LIMIT_S, **extra: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, timeout=limit_s,
                          stdin=subprocess.DEVNULL, env=environment(**extra), check=False)


def rows(text: str) -> list[Row]:
    found = []
    for line in text.splitlines():
        tokens = line.split()
        if line.startswith("#") or len(tokens) != 13:
            continue
        found.append(Row(int(tokens[0]), int(tokens[1]), tokens[2], tokens[3], int(tokens[4]),
                         tuple(tokens[5:9]), tuple(tokens[9:13])))
    return found


def json_lines(path: Path) -> list[dict]:
    """Every line parsed; a torn line is an error here."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def mpirun(nranks: int, *words: str) -> list[str]:
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(nranks), *words]


def gpu_is_expected() -> bool:
    """Whether LINERATE_EXPECT_GPU=1 says that here nothing may be missing."""
    return os.environ.get("LINERATE_EXPECT_GPU", "0") not in ("", "0")


def lacks(reason: str) -> None:
    """Skips the test, or fails it where a GPU is expected."""
    if gpu_is_expected():
        raise AssertionError(f"LINERATE_EXPECT_GPU is set, and yet: {reason}")
    raise unittest.SkipTest(reason)


def needs(program: str) -> None:
    """Skips the test, with the reason, where `program` is not installed."""
    if shutil.which(program) is None:
        lacks(f"{program} is not installed")


def needs_module(backend: str) -> None:
    if not (BIN.parent / "lib" / f"liblinerate-{backend}.so").exists():
        lacks(f"linerate was built without the {backend} backend")


def needs_root() -> None:
    if os.geteuid() != 0:
        raise unittest.SkipTest("needs root: network namespaces and daemons")


def main() -> None:
    """Runs the tests of the file that was started: each with its result, and why it is skipped."""
    result = unittest.main(module="__main__", verbosity=2, exit=False).result
    skipped = [test for test, _ in result.skipped if isinstance(test, unittest.TestCase)]
    ran = result.testsRun - len(skipped)  # a class or a file that is skipped counts as no test run
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(0 if ran > 0 else NOTHING_RAN)
