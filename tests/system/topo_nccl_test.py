"""linerate topo with NCCL's variables, its table of ways, and NCCL's dumps of channels."""

import json
import tempfile
import unittest
from pathlib import Path
from subprocess import CompletedProcess

from support import main, run, tool

TOPO = [tool("linerate"), "topo"]
PREDICT = ("--platform", "dgx-h100", "--nodes", "2", "--predict", "all_reduce")
ONE = ("-b", "1G", "-e", "1G")
DUMP = """<graphs version="1">
  <graph id="0" pattern="4" crossnic="0" nchannels="1" speedintra="{gbps}" speedinter="24"
         latencyinter="0" typeintra="NVL" typeinter="PIX" samechannels="1">
    <channel><net dev="0"/><gpu dev="0" rank="8"/><gpu dev="1" rank="9"/><net dev="0"/></channel>
  </graph>
</graphs>
"""


class Variables(unittest.TestCase):
    def predict(self, *words: str, **variables: str) -> CompletedProcess:
        return run([*TOPO, *PREDICT, *words], **variables)

    def test_change_the_choice_and_are_told(self):
        done = self.predict(*ONE, NCCL_ALGO="Ring", NCCL_MIN_CTAS="32")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith(
            "as the environment asks: NCCL_ALGO=Ring NCCL_MIN_CTAS=32\n"), done.stdout)
        self.assertIn("Ring   Simple       32", done.stdout)

    def test_are_in_the_json(self):
        done = self.predict(*ONE, "--json", NCCL_ALGO="Ring", NCCL_MIN_CTAS="32")
        self.assertEqual(json.loads(done.stdout)["environment"],
                         {"NCCL_ALGO": "Ring", "NCCL_MIN_CTAS": "32"})

    def test_of_sends_are_those_for_channels(self):
        words = [*TOPO, "--platform", "dgx-h100", "--predict", "all_to_all", *ONE]
        variables = {"NCCL_ALGO": "Ring", "NCCL_MAX_CTAS": "4"}
        self.assertTrue(run(words, **variables).stdout.startswith(
            "as the environment asks: NCCL_MAX_CTAS=4\n"))
        self.assertEqual(json.loads(run([*words, "--json"], **variables).stdout)["environment"],
                         {"NCCL_MAX_CTAS": "4"})

    def test_that_are_left_out_are_named(self):
        done = self.predict(*ONE, NCCL_P2P_LEVEL="SYS", NCCL_CROSS_NIC="0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("NCCL_P2P_LEVEL, NCCL_CROSS_NIC are set, and left out", done.stderr)

    def test_that_nccl_cannot_run_with_are_refused(self):
        for words, variables, why in (
                (ONE, {"NCCL_ALGO": "Rings"}, "Did you mean 'Ring'?"),
                (("-d", "f8e4m3", *ONE), {"NCCL_ALGO": "NVLSTree"}, "nothing left to do"),
                (("--table", "1M"), {"NCCL_ALGO": "PAT"}, "nothing left to do all_reduce with")):
            with self.subTest(variables):
                done = self.predict(*words, **variables)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(why, done.stderr)

    def test_make_ways_off_in_the_table(self):
        done = self.predict("--table", "1M", NCCL_PROTO="^LL128")
        self.assertIn("Tree LL128, Ring LL128: NCCL_PROTO=^LL128\n", done.stdout)

        rows = json.loads(self.predict("--table", "1M", "--json").stdout)["rows"]
        self.assertEqual([row["algorithm"] for row in rows if row.get("taken")], ["Tree"])


class Dumps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.files = []
        for name, gbps in (("a.xml", 24), ("b.xml", 12)):
            file = Path(folder.name) / name
            file.write_text(DUMP.format(gbps=gbps))
            self.files.append(str(file))

    def test_are_shown(self):
        done = run([*TOPO, "--graphs", self.files[0]])

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), [
            "ring (ring): 1 x 24 GB/s (NVL), between nodes 24 GB/s (PIX)",
            "      0  NIC 0 - GPU 0 1 - NIC 0"])

    def test_that_differ_are_a_finding(self):
        one, other = self.files
        done = run([*TOPO, "--graphs", one, "--graphs", other])
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("ring: GB/s of a channel: 24 and 12", done.stdout)

        same = run([*TOPO, "--graphs", one, "--graphs", one])
        self.assertEqual((same.returncode, same.stdout),
                         (0, f"{one} and {one}: the same channels\n"))

    def test_are_compared_with_a_machine(self):
        done = run([*TOPO, "--graphs", self.files[0], "--platform", "dgx-a100"])

        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("ring: channels: 1 and 8", done.stdout)
        self.assertIn("a.xml has no channels for it", done.stdout)

    def test_that_are_none_are_refused_with_their_line(self):
        Path(self.files[0]).write_text("<graphs version=\"1\">\n<graph id=\"x\"/></graphs>")

        done = run([*TOPO, "--graphs", self.files[0]])

        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("a.xml:2: ", done.stderr)


if __name__ == "__main__":
    main()
