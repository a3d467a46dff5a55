#!/usr/bin/env python3
"""Tests of the architecture check: on made-up trees, each rule passes what it should and fails."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from check_layers import check

HEAD = "// A file of the test.\n"


def broken(path: str, body: str, head: str = HEAD) -> list[str]:
    """The rules that a tree with this one file breaks, in order."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, path)
        file.parent.mkdir(parents=True)
        file.write_text(head + body, encoding="utf-8")
        return [v.rule for v in check(Path(folder))]


class Arrows(unittest.TestCase):
    def test_lower_layers_and_listed_arrows_are_open(self) -> None:
        for path, include in (
            ("src/stats/a.cc", "base/text.h"),
            ("src/record/a.cc", "stats/summary.h"),
            ("collectives/a.cc", "comm/communicator.h"),
            ("src/backends/host/a.cc", "devices/cpu/reduce.h"),
            ("src/backends/host/a.cc", "topo/machine.h"),
            ("src/bench/a.cc", "launch/common_clock.h"),
            ("src/commands/a.cc", "cli/parse.h"),
            ("src/main.cc", "commands/perf.h"),
            ("trainers/train_ddp.cc", "backends/registry.h"),
            ("benchmarks/peer/a.cc", "commands/fabric.h"),
        ):
            self.assertEqual(broken(path, f'#include "{include}"\n'), [], (path, include))

    def test_upward_and_sideways_includes_are_named(self) -> None:
        for path, include in (
            ("src/base/a.cc", "comm/op.h"),
            ("src/stats/a.cc", "comm/op.h"),
            ("src/comm/a.cc", "collectives/collective.h"),
            ("topo/a.cc", "launch/identity.h"),
            ("src/launch/a.cc", "devices/cpu/cpu_device.h"),
            ("src/backends/host/a.cc", "backends/mpi/world.h"),
            ("src/output/a.cc", "cli/parse.h"),
            ("src/cli/a.cc", "commands/perf.h"),
            ("src/bench/a.cc", "benchmarks/channel.h"),
            ("trainers/engine.cc", "bench/plan.h"),
        ):
            self.assertEqual(broken(path, f'#include "{include}"\n'), ["arrow"], (path, include))

    def test_bench_and_trainers_never_see_a_backend(self) -> None:
        for path in ("src/bench/a.cc", "trainers/engine.cc"):
            self.assertEqual(broken(path, '#include "backends/host/host.h"\n'), ["arrow"])

    def test_a_quoted_include_names_a_known_folder(self) -> None:
        self.assertEqual(broken("src/base/a.cc", '#include "text.h"\n'), ["include"])


class ForeignHeaders(unittest.TestCase):
    def test_each_has_one_home(self) -> None:
        for header, home in (
            ("mpi.h", "src/backends/mpi"),
            ("nccl.h", "src/backends/nccl"),
            ("cuda_runtime.h", "src/devices/cuda"),
            ("hwloc.h", "topo"),
            ("cblas.h", "src/devices/cpu"),
            ("gloo/context.h", "src/backends/gloo"),
            ("infiniband/verbs.h", "topo"),
        ):
            include = f"#include <{header}>\n"
            self.assertEqual(broken(f"{home}/a.cc", include), [], header)
            self.assertEqual(broken("src/bench/a.cc", include), ["foreign-header"], header)


class Conditions(unittest.TestCase):
    def test_a_feature_macro_stays_in_its_backend(self) -> None:
        body = "#ifdef HAVE_MPI\n#endif\n"
        self.assertEqual(broken("src/backends/mpi/a.cc", body), [])
        self.assertEqual(broken("src/bench/a.cc", body), ["condition"])
        self.assertEqual(broken("src/devices/cpu/a.cc", body), ["condition"])

    def test_kernels_ask_for_the_instruction_set_only(self) -> None:
        body = "#if defined(__AVX2__) && !defined(__CUDACC__)\n#elif __ARM_NEON\n#endif\n"
        self.assertEqual(broken("src/devices/cpu/a.cc", body), [])
        self.assertEqual(broken("src/stats/a.cc", body), ["condition"] * 3)

    def test_if_0_is_refused(self) -> None:
        self.assertEqual(broken("src/stats/a.cc", "#if 0\n#endif\n"), ["condition"])


class FirstLine(unittest.TestCase):
    def test_says_what_the_file_is(self) -> None:
        self.assertEqual(broken("src/base/a.cc", "", "#include <span>\n"), ["first-line"])
        self.assertEqual(broken("src/base/a.cc", "", "#include \"base/a.h\"\n"), [])
        self.assertEqual(broken("tests/a.py", "", '#!/usr/bin/env python3\n"""A."""\n'), [])
        self.assertEqual(broken("tests/a.py", "", "import sys\n"), ["first-line"])
        self.assertEqual(broken("cmake/a.cmake", "", ""), ["first-line"])


if __name__ == "__main__":
    unittest.main()
