"""Trainers configured as users of DeepSpeed, Megatron-LM and YAML do it."""

import json
import tempfile
import unittest
from pathlib import Path

from support import main, mpirun, needs_module, run, tool
from train_test import steps

MEGATRON = """# a small model
--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 \\
--num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 32
--micro-batch-size 1 --global-batch-size 4 --train-iters 3 --lr 1e-3 --hidden-dropout 0
--use-distributed-optimizer --log-interval 1
"""
MEANT = ["--tp", "2", "--pp", "2", "--layers", "4", "--hidden", "64", "--heads", "4", "--seq", "32",
         "--micro-batch", "1", "--batch", "4", "--steps", "3", "--zero", "1", "--overlap", "off",
         "--beta2", "0.999", "--weight-decay", "0.01", "--lr-decay", "linear",
         "--warmup-steps", "0"]
DEEPSPEED = {"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 2,
             "zero_optimization": {"stage": 3}, "steps_per_print": 5}


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def losses(self, *command: str) -> list[float]:
        return [line["loss"] for line in steps(*command, "--deterministic")]

    def test_of_megatron_train_what_their_flags_mean(self):
        file = self.file("megatron.txt", MEGATRON)
        meant = self.losses(tool("train_3d"), "-t", "4", *MEANT)
        self.assertEqual(len(meant), 3)
        self.assertEqual(self.losses(tool("train_3d"), "-t", "4", "--config", file), meant)
        flags = MEGATRON.partition("\n")[2].replace("\\", "").split()
        ours = [*flags, *MEANT[MEANT.index("--overlap"):]]
        self.assertEqual(self.losses(tool("train_3d"), "-t", "4", *ours), meant)

    def test_of_deepspeed_count_the_ranks_of_a_job(self):
        file = self.file("ds_config.json", json.dumps(DEEPSPEED))
        words = ["--config", file, "--steps", "2"]
        one = self.losses(tool("train_fsdp"), *words, "--gradient-accumulation-steps", "8")
        self.assertEqual(self.losses(tool("train_fsdp"), "--nprocs", "4", *words), one)
        needs_module("mpi")
        self.assertEqual(self.losses(*mpirun(4, tool("train_fsdp")), *words), one)

    def test_read_back_what_was_understood(self):
        file = self.file("ds_config.json", json.dumps(DEEPSPEED))
        words = ["--config", file, "--tp", "2", "--micro-batch-size", "2", "--dump-config"]
        first = run([tool("train_3d"), *words])
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("\nmicro-batch: 2\n", first.stdout)
        self.assertIn("\n# steps: 100\n", first.stdout)
        self.assertEqual(first.stderr, "linerate: note: without effect here: steps_per_print\n")
        again = run([tool("train_3d"), "--config", self.file("mine.yaml", first.stdout),
                     "--dump-config"])
        self.assertEqual(again.stdout, first.stdout)

    def test_that_mean_nothing_are_refused_by_one_sentence(self):
        for text, phrase in {"distributed_strategy: auto": "plan: FILE",
                             "batchh: 8": "did you mean batch?",
                             '{"train_batch_size": 9}': "--batch 9 is not divided by",
                             '{"train_batch_size": 8, "bf16": {"enabled": 1}}': "bf16.enabled",
                             "--fp16 --bf16": "--fp16 and --bf16 contradict each other"}.items():
            done = run([tool("train_3d"), "-t", "2", "--config", self.file("some", text)])
            self.assertEqual(done.returncode, 2, text)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(phrase, done.stderr)


if __name__ == "__main__":
    main()
