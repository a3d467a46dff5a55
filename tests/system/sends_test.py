"""linerate topo --predict of collectives that NCCL makes of sends, on nodes and clusters."""

import json
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

    def test_have_one_table_for_all_numbers_of_nodes(self):
        done = self.predict(RACKS, "alltoall", "-b", "1G", "-e", "1G", "--nodes", "1,2")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("ranks on", done.stdout)
        self.assertEqual(done.stdout.count("(GB/s)"), 2)  # one heading, two columns
        bounds = [line.split(None, 6) for line in done.stdout.splitlines()
                  if str(1 << 30) in line]
        self.assertEqual([bound[:2] for bound in bounds], [["1", "8"], ["2", "16"]])
        self.assertEqual([bound[6] for bound in bounds], ["NVLinks of GPU0", "PCI of mlx5_0"])
        self.assertGreater(float(bounds[0][5]), float(bounds[1][5]))

    def test_say_how_many_ranks_one_number_of_nodes_has(self):
        done = self.predict(RACKS, "alltoall", "-b", "1G", "-e", "1G", "--nodes", "2")

        self.assertIn("16 ranks on 2 nodes:", done.stdout)
        self.assertNotIn("nodes   ranks", done.stdout)

    def test_are_json_as_other_predictions_are(self):
        words = ("-b", "1G", "-e", "4G", "--nodes", "1,2")
        sends = json.loads(self.predict(RACKS, "alltoall", *words, "--json").stdout)
        others = json.loads(self.predict(RACKS, "all_gather", *words, "--json").stdout)

        self.assertEqual(sends["collective"], "all_to_all")
        self.assertEqual([(row["nnodes"], row["nranks"], row["bytes"]) for row in sends["rows"]],
                         [(1, 8, 1 << 30), (1, 8, 4 << 30), (2, 16, 1 << 30), (2, 16, 4 << 30)])
        self.assertEqual(sends["rows"][2]["bound_by"], "PCI of mlx5_0")
        self.assertGreater(sends["rows"][2]["time_us"], 0)
        self.assertEqual(sends.keys(), others.keys())
        self.assertEqual(others["rows"][0].keys() - sends["rows"][0].keys(),
                         {"algorithm", "protocol", "channels"})

    def test_have_no_bound_on_unlike_nodes(self):
        unlike = "nodes: [{topology: dgx-h100, count: 2}, {topology: hgx-h200}]"

        self.refused(self.predict(RACKS, "alltoall"), "--nodes 24 at most")
        self.refused(self.predict(unlike, "alltoall"), "--nodes 2 at most")

    def test_are_bound_by_uplinks_across_racks(self):
        done = self.predict(RACKS, "alltoall", "-b", "1G", "-e", "1G", "--nodes", "8,16")

        within, across = done.stdout.splitlines()[-2:]
        self.assertIn("mlx5_", within)
        self.assertIn("uplink", across)

    def test_refuse_what_they_cannot_do(self):
        self.refused(self.predict(RACKS, "hypercube", "--nodes", "3"), "power of two")


if __name__ == "__main__":
    main()
