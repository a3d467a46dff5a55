"""linerate topo --predict of collectives that NCCL makes of sends, on nodes and clusters."""

import tempfile
import unittest
from pathlib import Path
from subprocess import CompletedProcess

from support import main, run, tool

RACKS = """
nodes: [{topology: dgx-h100, count: 24}, {topology: hgx-h200, count: 8}]
rack: {nodes: 8, oversubscription: 4}
"""


class Sends(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "cluster.yaml"

    def predict(self, text: str, *words: str) -> CompletedProcess:
        self.file.write_text(text)
        return run([tool("linerate"), "topo", "--cluster", str(self.file), "--predict", *words])

    def refused(self, done: CompletedProcess, words: str) -> None:
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(words, done.stderr)

    def test_have_a_table_for_each_number_of_nodes(self):
        done = self.predict(RACKS, "alltoall", "-b", "1G", "-e", "1G", "--nodes", "1,2")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("8 ranks on 1 node:", done.stdout)
        self.assertIn("16 ranks on 2 nodes:", done.stdout)
        bounds = [line.split(None, 4) for line in done.stdout.splitlines()
                  if line.strip().startswith(str(1 << 30))]
        self.assertEqual([bound[4] for bound in bounds], ["NVLinks of GPU0", "PCI of mlx5_0"])
        self.assertGreater(float(bounds[0][3]), float(bounds[1][3]))

    def test_have_no_bound_on_unlike_nodes_and_across_racks(self):
        unlike = "nodes: [{topology: dgx-h100, count: 2}, {topology: hgx-h200}]"

        self.refused(self.predict(RACKS, "alltoall"), "--nodes 8 at most")
        self.refused(self.predict(unlike, "alltoall"), "--nodes 2 at most")

    def test_refuse_what_they_cannot_do(self):
        self.refused(self.predict(RACKS, "alltoall", "--nodes", "2", "--json"), "leave --json out")
        self.refused(self.predict(RACKS, "hypercube", "--nodes", "3"), "power of two")


if __name__ == "__main__":
    main()
