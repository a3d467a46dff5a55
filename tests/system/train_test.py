"""The trainers as users start them: the same loss on every layout, times that add up."""

import json
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import environment, main, mpirun, needs_module, run, tool

STEPS = 3
EXACT = ["--deterministic", "--assert-accounting", "--batch", "6", "--steps", str(STEPS)]


def steps(*command: str) -> list[dict]:
    """The step lines that a run writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        done = run([*command, "--jsonl", str(path)])
        assert done.returncode == 0, done.stderr
        lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [lines[0]["kind"], lines[-1]["kind"]] == ["run", "end"]
    return [line for line in lines if line["kind"] == "step"]


class Training(unittest.TestCase):
    def setUp(self):
        self.losses = [line["loss"] for line in steps(tool("train_ddp"), *EXACT)]

    def same(self, *command: str) -> None:
        self.assertEqual([line["loss"] for line in steps(*command, *EXACT)], self.losses)

    def test_has_the_same_loss_on_threads_and_processes(self):
        self.same(tool("train_ddp"), "-t", "2")
        self.same(tool("train_fsdp"), "--nprocs", "2", "--zero", "3")
        self.same(tool("train_fsdp"), "--nprocs", "2", "-t", "2", "--zero", "1")

    def test_has_the_same_loss_on_the_fake_backend(self):
        self.same(tool("train_fsdp"), "-t", "3", "--zero", "2", "--backend", "fake")

    def test_has_the_same_loss_under_mpirun(self):
        needs_module("mpi")
        self.same(*mpirun(2, tool("train_fsdp")))


class Times(unittest.TestCase):
    def test_add_up_to_the_step(self):
        for line in steps(tool("train_fsdp"), "-t", "2", "--steps", "4"):
            exposed = sum(one["exposed_wait_us"] + one["exposed_transfer_us"]
                          for one in line["comm"])
            parts = line["compute_us"] + exposed + line["idle_us"]
            self.assertAlmostEqual(parts / line["step_us"], 1, delta=0.01)
            self.assertGreater(sum(one["total_us"] for one in line["comm"]), 0)


class Summary(unittest.TestCase):
    def test_says_of_whom_and_of_how_many_steps(self):
        done = run([tool("train_fsdp"), "-t", "2", "--zero", "3", "--steps", "2"])
        self.assertRegex(done.stdout, r"\n# median of 2 steps: .*; last loss \d\.\d+\n")
        self.assertRegex(done.stdout, r"\n# memory of rank 0 at most, MiB: parameter \d+\.\d, ")
        self.assertNotIn("offloaded", done.stdout)
        self.assertRegex(done.stdout, r"\n# sent by rank 0 in 2 steps on dp_shard, bytes: "
                                      r"gradient reduce_scatter \d+, loss \d+, ")


class Words(unittest.TestCase):
    def test_that_are_wrong_get_one_sentence_and_exit_code_2(self):
        for words, said in ((["--model", "nana"], "Did you mean 'nano'"),
                            (["--steps", "0"], "--steps"),
                            (["--zero", "4"], "--zero"),
                            (["--overlap", "maybe"], "on, off"),
                            (["--precision", "int8"], "bfloat16"),
                            (["--data", "/nowhere/text"], "/nowhere/text"),
                            (["--lr", "fast"], "--lr"),
                            (["--batch", "-1"], "--batch"),
                            (["--jsonl", "/nowhere/run.jsonl"], "/nowhere/run.jsonl"),
                            (["nano"], "nano")):
            with self.subTest(words=words):
                done = run([tool("train_fsdp"), *words])
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_of_another_trainer_are_refused(self):
        self.assertEqual(run([tool("train_ddp"), "--zero", "2"]).returncode, 2)

    def test_plan_without_training(self):
        done = run([tool("train_fsdp"), "--model", "d48", "-t", "8", "--dry-run"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("\nbucket of "), 50)


class Interrupted(unittest.TestCase):
    def test_keeps_what_it_has(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.jsonl"
            command = [tool("train_ddp"), "-t", "2", "--steps", "100000", "--jsonl", str(path)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, env=environment()) as job:
                for line in job.stdout:
                    if line.split()[0] == "2":
                        break
                job.send_signal(signal.SIGINT)
                job.communicate(timeout=60)
            last = json.loads(path.read_text().splitlines()[-1])
            self.assertEqual((job.returncode, last["kind"], last["exit_code"]), (130, "end", 130))


if __name__ == "__main__":
    main()
