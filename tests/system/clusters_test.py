"""linerate topo --cluster: what it shows and predicts, and the sentences about wrong input."""

import json
import tempfile
import unittest
from pathlib import Path
from subprocess import CompletedProcess

from support import main, run, tool

WEST = """
name: west
nodes:
  - {topology: dgx-h100, count: 24}
  - {topology: hgx-h200, count: 8}
rails: 8
rack: {nodes: 8, oversubscription: 4}
spine: {oversubscription: 1.5, latency: 500 ns}
"""
ALIKE = "nodes: {topology: dgx-a100, count: 4}\n"
PREDICT = ("--predict", "all_gather", "-b", "16G", "-e", "16G")


class ClusterCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "cluster.yaml"

    def topo(self, text: str, *words: str) -> CompletedProcess:
        self.file.write_text(text)
        return run([tool("linerate"), "topo", "--cluster", str(self.file), *words])


class Clusters(ClusterCase):
    def predicted(self, text: str, *words: str) -> list[dict]:
        done = self.topo(text, *PREDICT, *words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["rows"]

    def test_shows_groups_racks_and_switches(self):
        done = self.topo(WEST)

        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("cluster west: 32 nodes, 256 GPUs", "nodes 0-23: 24 x dgx-h100",
                      "nodes 24-31: 8 x hgx-h200", "4 racks of 8 nodes, 8 rails",
                      "a leaf: 100 GB/s to the spine, oversubscribed 4:1",
                      "the spine: 2133 GB/s, oversubscribed 1.5:1, 0.5 us"):
            self.assertIn(words, done.stdout)

    def test_predicts_for_all_nodes_or_the_first_ones(self):
        self.assertEqual([row["nnodes"] for row in self.predicted(WEST)], [32])
        self.assertEqual([row["nranks"] for row in self.predicted(WEST, "--nodes", "1:8,32")],
                         [8, 16, 32, 64, 256])

    def test_names_what_binds_and_nothing_where_no_switch_is_used(self):
        narrow = WEST.replace("oversubscription: 4", "oversubscription: 40")
        spine = self.predicted(narrow)[0]
        uplink = self.predicted(narrow.replace("oversubscription: 1.5", "oversubscription: 1"))[0]
        within = self.predicted(narrow, "--nodes", "8")[0]

        uplinks_gbps = 8 * 8 * 50 / 40  # of one rack: 8 rails, 8 nodes, NICs of 50 GB/s
        self.assertEqual(uplink["bound_by"], "rack 0 rail 0 uplink")
        self.assertAlmostEqual(uplink["expected_busbw_gbps"], uplinks_gbps, delta=1)
        self.assertEqual(spine["bound_by"], "spine")
        self.assertAlmostEqual(spine["expected_busbw_gbps"], uplinks_gbps / 1.5, delta=1)
        self.assertEqual(within["bound_by"], "NCCL model")

    def test_predicts_as_for_the_platform_where_there_is_one_rack(self):
        platform = run([tool("linerate"), "topo", "--platform", "dgx-a100", *PREDICT, "--json",
                        "--nodes", "4"])

        self.assertEqual(self.predicted(ALIKE), json.loads(platform.stdout)["rows"])

    def test_shows_the_node_where_all_are_alike(self):
        self.assertIn("GPU7", self.topo(ALIKE, "--matrix").stdout)

    def test_warns_of_what_nccl_refuses(self):
        mixed = "nodes: [{topology: dgx-a100}, {topology: aws-p4d}]"

        newer = self.topo(mixed, *PREDICT, "--nccl", "2.30")

        self.assertIn("NCCL_IGNORE_NET_MISMATCH=1", newer.stderr)
        self.assertEqual(self.topo(mixed, *PREDICT, "--nccl", "2.28").stderr, "")


class WrongInput(ClusterCase):
    def refused(self, done: CompletedProcess, *words: str) -> None:
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_of_numbers_of_nodes(self):
        self.refused(self.topo(ALIKE, *PREDICT, "--nodes", "1:5"), "--nodes 5", "at most 4")
        self.refused(self.topo(ALIKE, *PREDICT, "--nodes", "4:1"), "at '4:1'", "1:4096")
        self.refused(self.topo(ALIKE, *PREDICT, "--nodes", "two"), "whole numbers")
        self.refused(self.topo(ALIKE, "--nodes", "2"), "--predict")

    def test_of_files(self):
        self.refused(run([tool("linerate"), "topo", "--cluster", "/no/such.yaml"]), "no/such")
        self.refused(self.topo("nodes: {topology: dgx-h10}"), "Did you mean 'dgx-h100'?")
        self.refused(self.topo("nodes: {file: no.xml}"), "line 1", "no.xml")
        self.refused(self.topo(ALIKE + "racks: 3\n"), "line 2", "rack")
        self.refused(self.topo(ALIKE + "rack: {nodes: 2, latency: 3}\n"), "line 2", "us")
        self.refused(self.topo(ALIKE + "rails: 9\n"), "8 NIC ports")

    def test_of_views_and_other_machines(self):
        self.refused(self.topo(WEST, "--matrix"), "dgx-h100, hgx-h200", "--platform")
        self.refused(self.topo(ALIKE, "--platform", "dgx-h100"), "exclude each other")
        self.refused(self.topo(ALIKE, "--predict", "all_to_all_v"), "only a run knows")

    def test_of_nodes_that_cannot_run_nccl(self):
        self.file.with_name("bare.xml").write_text(
            '<system version="1"><cpu numaid="0" arch="x86_64" vendor="AuthenticAMD"/></system>')
        self.refused(self.topo("nodes: {file: bare.xml}", *PREDICT), "NCCL to do: give a")


if __name__ == "__main__":
    main()
