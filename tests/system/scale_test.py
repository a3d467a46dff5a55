"""linerate scale: a study goes on where it was cut, and says what its runs were."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support import environment, json_lines, lacks, main, run, tool

LINERATE = tool("linerate")
TINY = ["--options", "--model nano", "--batch", "2", "--steps", "1"]


def setUpModule() -> None:
    if not Path(tool("train_ddp")).exists():
        lacks("no trainers: they were not built")


class Scale(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "study"

    def words(self, *words: str) -> list[str]:
        return [LINERATE, "scale", "-o", str(self.folder), "--seed", "1", *TINY, *words]

    def scale(self, *words: str) -> subprocess.CompletedProcess:
        return run(self.words(*words))

    def lines(self) -> list[dict]:
        return json_lines(self.folder / "runs.jsonl")

    def test_runs_each_point_again_and_again_and_makes_a_page(self):
        done = self.scale("--layout", "train_ddp", "--layout", "zero3=train_fsdp --zero 3",
                          "--ranks", "1,2", "--repeat", "2")

        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertRegex(done.stdout, r"against (train_ddp|zero3) on 1 rank, ")
        self.assertRegex(done.stdout, r"(?m)^  zero3 +2[ *] +2 .*%.*%.*%$")
        points = [(line["layout"], line["nranks"], line["control"], line["repeat"])
                  for line in self.lines()]
        self.assertEqual(len(points), 12)  # two layouts: one rank, two, two without communication
        self.assertEqual(len(set(points)), 12)
        page = (self.folder / "scaling.html").read_text()
        self.assertIn("Strong scaling", page)
        self.assertEqual(page.count("<svg"), 3)
        self.assertTrue((self.folder / "strong-efficiency.png").stat().st_size > 1000)

    def test_goes_on_after_a_kill_with_the_runs_that_are_left(self):
        words = ["--layout", "train_ddp", "--ranks", "1,2", "--repeat", "4", "--control", "off"]
        with subprocess.Popen(self.words(*words), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env=environment()) as job:
            end = time.monotonic() + 60
            runs = self.folder / "runs.jsonl"
            while time.monotonic() < end and (
                    not runs.exists() or runs.read_text().count("\n") < 2):
                time.sleep(0.02)
            job.kill()
        before = [line["start_time"] for line in self.lines()]

        done = self.scale(*words)

        self.assertEqual(done.returncode, 0, done.stderr)
        after = [line["start_time"] for line in self.lines()]
        self.assertEqual(after[:len(before)], before)
        self.assertEqual(len(after), 8)
        runs = self.folder / "runs.jsonl"
        runs.write_text(runs.read_text()[:-30])  # as a kill within a line leaves it
        for _ in range(2):
            self.assertEqual(self.scale(*words).returncode, 0)
            self.assertEqual(len(self.lines()), 8)

    def test_ends_at_once_when_it_is_interrupted_and_says_how_to_go_on(self):
        words = self.words("--layout", "train_ddp --slow-rank 0:60s", "--ranks", "1")
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment()) as job:
            time.sleep(1)
            os.kill(job.pid, signal.SIGINT)
            _, errors = job.communicate(timeout=20)
        self.assertEqual(job.returncode, 130, errors)
        self.assertIn("the same command goes on", errors)
        self.assertEqual(self.lines(), [])

    def test_says_what_was_refused_failed_or_took_too_long(self):
        words = ("--layout", "tp2=train_3d --tp 2", "--layout", "none=./no-such-program",
                 "--layout", "slow=train_ddp --slow-rank 0:60s", "--layout", "quiet=false",
                 "--layout", "wordy=echo", "--ranks", "1", "--repeat", "1", "--limit", "2")
        done = self.scale(*words)

        self.assertEqual(done.returncode, 1, done.stderr)
        reasons = {line["layout"]: (line["outcome"], line["reason"]) for line in self.lines()}
        self.assertEqual({name: outcome for name, (outcome, _) in reasons.items()},
                         {"tp2": "refused", "none": "failed", "slow": "hung", "quiet": "failed",
                          "wordy": "failed"})
        self.assertEqual(reasons["quiet"][1], "it ended with exit code 1")
        self.assertIn("it wrote no steps", reasons["wordy"][1])
        self.assertIn("--tp 2 does not divide 1 rank", done.stdout)
        self.assertIn("it took longer than 2 s", done.stdout)
        self.assertIn("no run of tp2, none, slow, quiet, wordy ended well", done.stderr)
        page = (self.folder / "scaling.html").read_text()
        self.assertIn("failed: it ended with exit code 1", page)

    def test_prints_json(self):
        done = self.scale("--layout", "train_ddp", "--ranks", "1", "--repeat", "1", "--json")
        row = json.loads(done.stdout)["tables"][0]["rows"][0]
        self.assertEqual((row["layout"], row["outcome"]), ("train_ddp", "ok"))
        self.assertAlmostEqual(sum(row["parts_us"].values()) / row["step_us"]["median"], 1, 3)


if __name__ == "__main__":
    main()
