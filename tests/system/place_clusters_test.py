"""linerate topo place --cluster: which nodes of a cluster file ranks are placed on."""

import json
import tempfile
import unittest
from pathlib import Path
from subprocess import CompletedProcess

from support import main, run, tool

PLACE = [tool("linerate"), "topo", "place"]
MIXED = """nodes:
  - {topology: dgx-h100, count: 4}
  - {topology: hgx-h200, count: 2}
"""

BARE = """<system version="1"><cpu numaid="0" affinity="0000000f" arch="x86_64"
  vendor="AuthenticAMD"><pci busid="0000:01:00.0" class="0x020000" link_speed="16 GT/s"
  link_width="16"><nic><net name="eth0" dev="0" speed="100000" port="1" guid="0x1"/></nic></pci>
  </cpu></system>"""


class Clusters(unittest.TestCase):
    def place(self, text: str, *words: str) -> CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "cluster.yaml"
            file.write_text(text)
            file.with_name("bare.xml").write_text(BARE)
            return run([*PLACE, "--cluster", str(file), *words])

    def test_lend_as_few_nodes_as_take_the_ranks(self):
        for words, nnodes in (((), 2), (("--nodes", "4"), 4)):
            job = ("--nranks", "16", *words, "--format", "json")
            done = self.place("nodes: {topology: dgx-h100, count: 4}", *job)

            self.assertEqual(done.returncode, 0, done.stderr)
            plan = json.loads(done.stdout)
            self.assertEqual((plan["nnodes"], plan["ranks_per_node"]), (nnodes, 16 // nnodes))
            alone = run([*PLACE, "--platform", "dgx-h100", *job])
            self.assertEqual(plan, json.loads(alone.stdout))

    def test_of_several_kinds_lend_the_first_kind(self):
        done = self.place(MIXED, "--nranks", "32", "--nodes", "4", "--format", "json")
        self.assertEqual(json.loads(done.stdout)["name"], "dgx-h100", done.stderr)

        for words, instead in (((), "--nranks 32"), (("--nodes", "5"), "--nodes 4")):
            refused = self.place(MIXED, "--nranks", "40", *words)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn("(dgx-h100, hgx-h200)", refused.stderr)
            self.assertIn(f"give {instead} at most", refused.stderr)

    def test_have_no_more_nodes_than_they_have(self):
        refused = self.place(MIXED, "--nranks", "8", "--nodes", "8")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("give at most 6", refused.stderr)

        refused = self.place(MIXED, "--nranks", "56")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("needs 7 nodes, and the cluster has 6: give --nranks 32", refused.stderr)

    def test_tell_that_switches_are_not_counted(self):
        racks = """nodes: {topology: dgx-h100, count: 4}
rack: {nodes: 2, oversubscription: 2}
"""
        late = racks.replace("oversubscription: 2", "latency: 1 us")
        free = racks.replace("oversubscription: 2", "oversubscription: 1")
        mesh = ("--tp", "8")

        self.assertIn("switches", self.place(racks, "--nranks", "32", *mesh).stderr)
        self.assertIn("switches", self.place(late, "--nranks", "16", *mesh).stderr)
        for text, words in ((racks, ("--nranks", "16")), (late, ("--nranks", "8")),
                            (free, ("--nranks", "32")),
                            (racks, ("--nranks", "32", "--format", "env")),
                            (racks, ("--nranks", "32", "--format", "srun"))):
            done = self.place(text, *words, *mesh)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)

    def test_of_processors_have_no_costs_that_switches_would_change(self):
        done = self.place(
            "nodes: {file: bare.xml, count: 4}\nrack: {nodes: 2, oversubscription: 2}\n",
            "--nranks", "4", "--nodes", "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("switches", done.stderr)

    def test_call_nodes_of_a_file_by_its_name(self):
        done = self.place("nodes: {file: bare.xml}", "--nranks", "2")
        self.assertIn("2 ranks on 1 node of bare.xml,", done.stdout, done.stderr)

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "alone.xml"
            file.write_text(BARE)
            alone = run([*PLACE, "--nccl-xml", str(file), "--nranks", "2", "--format", "json"])
        self.assertIn("alone.xml", json.loads(alone.stdout)["name"])


if __name__ == "__main__":
    main()
