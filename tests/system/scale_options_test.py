"""linerate scale: a study's file and options, and what they refuse."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from support import json_lines, main, run, tool

LINERATE = tool("linerate")


class ScaleOptions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "study"

    def scale(self, *words: str) -> subprocess.CompletedProcess:
        return run([LINERATE, "scale", "-o", str(self.folder), *words])

    def test_reads_a_study_whose_options_the_command_line_overrides(self):
        study = self.folder.with_suffix(".yaml")
        study.write_text("layouts:\n  a: train_ddp\nranks: [1, 2]\nrepeat: 7\n")
        done = run([LINERATE, "scale", str(study), "--dry-run", "--repeat", "1"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 3)
        self.assertEqual(done.stdout.count("--no-communication"), 1)

    def test_take_a_scratch_folder_with_a_space_and_two_layouts_of_one_command(self):
        scratch = self.folder.parent / "a b"
        scratch.mkdir()
        words = ["--layout", "a=train_ddp", "--layout", "b=train_ddp", "--ranks", "1", "--repeat",
                 "1", "--steps", "1", "--batch", "1"]
        done = run([LINERATE, "scale", "-o", str(self.folder), *words], TMPDIR=str(scratch))
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        layouts = [line["layout"] for line in json_lines(self.folder / "runs.jsonl")]
        self.assertEqual(sorted(layouts), ["a", "b"])

    def test_refuses_what_it_cannot_do(self):
        study = self.folder.with_suffix(".yaml")
        study.write_text("layouts:\n  a: train_ddp\nrnaks: [1, 2]\n")
        for words, reason in (
                (["--ranks", "1"], "needs a layout"),
                (["--layout", "train_ddp"], "needs numbers of ranks"),
                (["--layout", "train_ddp", "--ranks", "0"], "has no numbers of ranks"),
                (["--layouts", "train_ddp", "--ranks", "1"], "did you mean '--layout'"),
                (["--layout", "ZeRO 3=train_fsdp", "--ranks", "1"], "names have no spaces"),
                (["--layout", "train_ddp --steps 3", "--ranks", "1"], "has --steps"),
                (["--layout", "=x", "--ranks", "1"], "is no layout"),
                (["--layout", "train_ddp", "--ranks", "1", "--start", "mpirun"], "number of ranks"),
                (["--layout", "train_ddp", "--ranks", "1", "--scaling", "both?"], "--scaling"),
                ([str(study)], f"{study}: "), (["/no/such.yaml"], "The study /no/such.yaml: "),
                (["a.yaml", "b.yaml"], "reads one study")):
            with self.subTest(words=words):
                done = self.scale(*words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(reason, done.stderr)

    def test_refuses_a_folder_of_other_lines(self):
        self.folder.mkdir()
        (self.folder / "runs.jsonl").write_text('{"kind":"run"}\n')
        done = self.scale("--layout", "train_ddp", "--ranks", "1")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("is no run of linerate scale", done.stderr)


if __name__ == "__main__":
    main()
