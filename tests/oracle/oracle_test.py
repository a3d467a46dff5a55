"""linerate's model of NCCL beside NCCL's own code, of several versions."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import machines
import nccl
import own
from compare import Comparison

NODES = [1, 2, 4, 16]
SHOWN = 20  # differences of a version

VARIABLES = [
    {"NCCL_ALGO": value}
    for value in ("Ring", "tree", "NVLS", "NVLSTree", "^NVLS,NVLSTree", "^Ring", "ring,tree", "PAT",
                  "CollNetDirect", "allreduce:tree;broadcast:ring", "ring;allreduce:^ring",
                  "Rings", "Ring, Tree", "")
] + [
    {"NCCL_PROTO": value}
    for value in ("LL", "LL128", "simple", "^LL128", "^LL", "LL,Simple", "^LL128;allreduce:LL128",
                  "allgather:LL", ";LL")
] + [
    {"NCCL_NVLS_ENABLE": "0"},
    {"NCCL_MIN_CTAS": "32"},
    {"NCCL_MAX_CTAS": "4"},
    {"NCCL_MIN_CTAS": "40", "NCCL_MAX_CTAS": "8"},
    {"NCCL_MIN_CTAS": "-3"},
    {"NCCL_MIN_NCHANNELS": "0x20"},
    {"NCCL_MAX_NCHANNELS": "8 channels"},
    {"NCCL_MAX_NCHANNELS": "0"},
    {"NCCL_MAX_NRINGS": "6", "NCCL_MIN_NRINGS": "2"},
    {"NCCL_ALGO": "Tree", "NCCL_PROTO": "LL128", "NCCL_MAX_CTAS": "8"},
]


@unittest.skipIf(nccl.why_not(), nccl.why_not() or "")
class Oracle(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.platforms = machines.exported(self.folder)
        self.cuts = machines.cut_down(self.platforms["dgx-h100"], self.folder)

    def conclude(self, comparison: Comparison, what: str) -> None:
        print(f"NCCL {comparison.version}, {what}: {comparison.rows} rows, {comparison.graphs} "
              f"sets of channels, {len(comparison.different)} differing", file=sys.stderr)
        self.assertGreater(comparison.rows, 0)
        self.assertEqual(comparison.different[:SHOWN], [])

    def test_channels_and_choices_of_all_machines(self):
        for tag in nccl.tags():
            with self.subTest(tag):
                comparison = Comparison(tag)
                for machine in (*self.platforms.values(), *self.cuts.values()):
                    nodes = [n for n in NODES if n * machines.gpus_of(machine) > 1]
                    comparison.compare(machine, nodes, own.FUNCTIONS, nccl.Calls())
                self.conclude(comparison, "machines")

    def test_variables_of_the_environment(self):
        few = [self.platforms["dgx-h100"], self.platforms["dgx-a100"]]
        functions = ("all_reduce", "all_gather", "broadcast")
        for tag in nccl.tags():
            with self.subTest(tag):
                comparison = Comparison(tag)
                for variables in VARIABLES:
                    for machine in few:
                        for nnodes in (1, 2, 4):
                            comparison.compare(machine, [nnodes], functions,
                                               nccl.Calls(variables))
                self.conclude(comparison, "variables")

    def test_averages_which_nvswitches_do_not_make(self):
        few = [self.platforms["dgx-h100"], self.cuts["1-gpu"]]
        lists = [{}, *({"NCCL_ALGO": value} for value in ("NVLS", "NVLSTree", "PAT", "NVLS,PAT"))]
        for tag in nccl.tags():
            with self.subTest(tag):
                comparison = Comparison(tag)
                for machine in few:
                    nodes = [n for n in NODES if n * machines.gpus_of(machine) > 1]
                    for variables in lists:
                        for nnodes in nodes:
                            comparison.compare(machine, [nnodes], own.REDUCING,
                                               nccl.Calls(variables, "avg"))
                self.conclude(comparison, "averages")


if __name__ == "__main__":
    unittest.main()
