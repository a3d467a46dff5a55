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


class Clusters(unittest.TestCase):
    def place(self, text: str, *words: str) -> CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "cluster.yaml"
            file.write_text(text)
            return run([*PLACE, "--cluster", str(file), *words])

    def test_give_the_node_and_how_many_there_are(self):
        done = self.place("nodes: {topology: dgx-h100, count: 4}", "--nranks", "16",
                          "--format", "json")

        self.assertEqual(done.returncode, 0, done.stderr)
        plan = json.loads(done.stdout)
        alone = run([*PLACE, "--platform", "dgx-h100", "--nranks", "16", "--nodes", "4",
                     "--format", "json"])
        self.assertEqual((plan["nnodes"], plan["ranks_per_node"]), (4, 4))
        self.assertEqual(plan, json.loads(alone.stdout))

    def test_of_several_kinds_lend_the_first_kind(self):
        done = self.place(MIXED, "--nranks", "32", "--nodes", "4", "--format", "json")
        self.assertEqual(json.loads(done.stdout)["name"], "dgx-h100", done.stderr)

        for words in ((), ("--nodes", "5")):
            refused = self.place(MIXED, "--nranks", "30", *words)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn("dgx-h100, hgx-h200", refused.stderr)
            self.assertIn("give --nodes 4 at most", refused.stderr)

    def test_have_no_more_nodes_than_they_have(self):
        refused = self.place(MIXED, "--nranks", "8", "--nodes", "8")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("give at most 6", refused.stderr)

    def test_tell_that_switches_are_not_counted(self):
        racks = """nodes: {topology: dgx-h100, count: 4}
rack: {nodes: 2, oversubscription: 2}
"""
        self.assertIn("switches", self.place(racks, "--nranks", "32").stderr)
        self.assertNotIn("switches", self.place(racks, "--nranks", "8", "--nodes", "1").stderr)


if __name__ == "__main__":
    main()
