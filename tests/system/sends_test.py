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
        self.assertEqual(done.stdout.count("(GB/s)"), 3)  # one heading: busbw, band, bound
        rows = [line.split(None, 10) for line in done.stdout.splitlines() if str(1 << 30) in line]
        self.assertEqual([row[:2] for row in rows], [["1", "8"], ["2", "16"]])
        self.assertEqual([row[10] for row in rows], ["NVLinks of GPU0", "PCI of mlx5_0"])
        for _, _, _, _, busbw, low, _, high, _, bound, _ in rows:
            self.assertLess(float(low), float(busbw))
            self.assertLess(float(busbw), float(high))
            self.assertLess(float(busbw), float(bound))

    def test_say_how_many_ranks_one_number_of_nodes_has(self):
        done = self.predict(RACKS, "alltoall", "-b", "1G", "-e", "1G", "--nodes", "2")

        self.assertIn("16 ranks on 2 nodes: it makes", done.stdout)
        self.assertNotIn("nodes   ranks", done.stdout)

    def test_are_json_as_other_predictions_are(self):
        words = ("-b", "1G", "-e", "4G", "--nodes", "1,2")
        sends = json.loads(self.predict(RACKS, "alltoall", *words, "--json").stdout)
        others = json.loads(self.predict(RACKS, "all_gather", *words, "--json").stdout)

        self.assertEqual(sends["collective"], "all_to_all")
        self.assertEqual([(row["nnodes"], row["nranks"], row["bytes"]) for row in sends["rows"]],
                         [(1, 8, 1 << 30), (1, 8, 4 << 30), (2, 16, 1 << 30), (2, 16, 4 << 30)])
        self.assertEqual(sends["rows"][2]["bound_by"], "PCI of mlx5_0")
        self.assertEqual(sends.keys(), others.keys())
        of_sends, of_others = sends["rows"][2].keys(), others["rows"][2].keys()
        for key in ("time_us", "busbw_gbps", "low_gbps", "high_gbps", "sources"):
            self.assertIn(f"expected_{key}", of_sends & of_others)
        self.assertIn("bound_busbw_gbps", of_sends - of_others)
        self.assertEqual(of_others - of_sends, {"algorithm", "protocol", "channels",
                                                "ncclmodel_time_us", "ncclmodel_busbw_gbps"})

    def test_have_no_bound_on_unlike_nodes(self):
        unlike = "nodes: [{topology: dgx-h100, count: 2}, {topology: hgx-h200}]"

        self.refused(self.predict(RACKS, "alltoall"), "--nodes 24 at most")
        self.refused(self.predict(unlike, "alltoall"), "--nodes 2 at most")

    def test_are_bound_by_uplinks_across_racks(self):
        done = self.predict(RACKS, "alltoall", "-b", "1G", "-e", "1G", "--nodes", "8,16")

        within, across = (line for line in done.stdout.splitlines() if str(1 << 30) in line)
        self.assertIn("mlx5_", within)
        self.assertIn("uplink", across)

    def test_refuse_what_they_cannot_do(self):
        self.refused(self.predict(RACKS, "hypercube", "--nodes", "3"), "power of two")


if __name__ == "__main__":
    main()
