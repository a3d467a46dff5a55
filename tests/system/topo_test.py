"""linerate topo: what it writes, and what it says of the parts that nobody has told."""

import json
import tempfile
import unittest
from pathlib import Path
from subprocess import CompletedProcess

from support import main, run, tool

TOPO = [tool("linerate"), "topo"]
HAND_MADE = """<system version="1">
  <cpu numaid="0" affinity="ff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">
    <pci busid="0000:01:00.0" class="0x030200" link_speed="16 GT/s" link_width="16"/>
    <pci busid="0000:02:00.0" class="0x030200" link_speed="16 GT/s" link_width="16"/>
    <pci busid="0000:03:00.0" class="0x020700" link_speed="16 GT/s" link_width="16"/>
    <pci busid="0000:04:00.0" class="0x020700" link_speed="16 GT/s" link_width="16"/>
  </cpu>
</system>
"""
NO_NVLINKS = ("not seen: The file gives 2 GPUs by PCI class only, without NVLinks: --platform "
              "beside it tells them.")
GUESS = "not seen: The speed of net0 and 1 more is not known: NCCL guesses 1.25 GB/s."


class TopoCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Doubts(TopoCase):
    def topo(self, *words: str) -> CompletedProcess:
        file = self.folder / "node.xml"
        file.write_text(HAND_MADE)
        done = run([*TOPO, *words, "--nccl-xml", str(file)])
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_of_predictions_are_in_their_json(self):
        for collective in ("all_reduce", "all_to_all"):
            words = ("--predict", collective, "-b", "1M", "-e", "1M", "--nodes", "2", "--json")
            done = self.topo(*words)
            told = [line.removeprefix("linerate: not seen: ") for line in done.stderr.splitlines()]
            self.assertTrue(told)
            self.assertEqual(json.loads(done.stdout)["unseen"], told)

    def test_of_predictions_are_told_above_their_table(self):
        for collective in ("all_reduce", "alltoall"):
            done = self.topo("--predict", collective, "-b", "1M", "-e", "1M", "--nodes", "2")

            self.assertEqual(done.stderr, "")
            self.assertIn(NO_NVLINKS, done.stdout.splitlines()[:3])
            self.assertIn(GUESS, done.stdout.splitlines()[:3])

    def test_of_placements_are_told_on_stderr(self):
        done = self.topo("place", "--nranks", "4", "--format", "json")

        self.assertIn(NO_NVLINKS, done.stderr)
        self.assertIn(GUESS, done.stderr)

    def test_are_about_the_nodes_of_a_cluster_that_take_part(self):
        (self.folder / "node.xml").write_text(HAND_MADE)
        cluster = self.folder / "cluster.yaml"
        cluster.write_text("nodes: [{topology: dgx-a100, count: 2}, {file: node.xml}]")

        for words, sentences in ((("--nodes", "2"), 0), ((), 3)):
            done = run([*TOPO, "--cluster", str(cluster), "--predict", "all_gather", "--json",
                        *words])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), sentences, done.stderr)
            self.assertEqual(GUESS in done.stderr, sentences > 0)
            self.assertEqual(len(json.loads(done.stdout).get("unseen", [])), sentences)

    def test_leave_out_nics_that_are_not_used(self):
        self.assertNotIn("guesses", self.topo("--predict", "all_reduce").stdout)

    def test_are_none_where_all_is_told(self):
        done = run([*TOPO, "--platform", "dgx-h100", "--predict", "all_reduce", "--nodes", "2"])

        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Files(TopoCase):
    def refused(self, done: CompletedProcess, words: str) -> None:
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(words, done.stderr)

    def test_stay_as_they_were_where_there_is_no_room(self):
        for view, code in (("--svg", 1), ("--export-nccl", 2)):
            kept = self.folder / "kept"
            kept.write_text("x" * 5000)

            with self.subTest(view=view):
                done = run(["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *TOPO, "--platform",
                            "dgx-h100", view, str(kept)])
                self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
                self.assertIn("File too large", done.stderr)
                self.assertEqual(kept.read_text(), "x" * 5000)
                self.assertEqual(list(self.folder.iterdir()), [kept])

    def test_say_why_they_cannot_be_written(self):
        for path, why in ((self.folder, "Is a directory"),
                          (self.folder / "no" / "x.svg", "there is no folder")):
            for view in ("--svg", "--export-nccl"):
                with self.subTest(path=path, view=view):
                    self.refused(run([*TOPO, "--platform", "dgx-h100", view, str(path)]), why)

    def test_say_that_the_disk_is_full(self):
        for view in ("--svg", "--export-nccl"):
            with self.subTest(view=view):
                done = run([*TOPO, "--platform", "dgx-h100", view, "/dev/full"])
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("No space left", done.stderr)


if __name__ == "__main__":
    main()
