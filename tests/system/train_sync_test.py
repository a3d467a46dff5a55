"""How the trainers' ranks share state and add up gradients, as users ask for it."""

import unittest

from support import main, mpirun, needs_module, run, tool
from train_test import EXACT, steps

DDP, FSDP = tool("train_ddp"), tool("train_fsdp")


class Layouts(unittest.TestCase):
    def setUp(self):
        self.losses = [line["loss"] for line in steps(DDP, *EXACT)]

    def same(self, *command: str) -> None:
        self.assertEqual([line["loss"] for line in steps(*command, *EXACT)], self.losses)

    def test_hybrid_sharding_has_the_same_loss(self):
        for stage in ("1", "2", "3"):
            self.same(FSDP, "--nprocs", "2", "-t", "2", "--shard-size", "2", "--zero", stage)

    def test_every_sync_has_the_same_loss(self):
        for sync in ("reduce_scatter", "tree", "parameter_server"):
            self.same(DDP, "--nprocs", "3", "--sync", sync)

    def test_mpirun_has_the_same_loss(self):
        needs_module("mpi")
        self.same(*mpirun(4, FSDP), "--shard-size", "2")
        self.same(*mpirun(3, DDP), "--sync", "tree")

    def test_gloo_has_the_same_loss(self):
        needs_module("gloo")
        self.same(FSDP, "--backend", "gloo", "-t", "4", "--shard-size", "2")
        self.same(DDP, "--backend", "gloo", "-t", "3", "--sync", "parameter_server")


class Hooks(unittest.TestCase):
    def test_send_less_and_learn(self):
        sent = {}
        for hook in ("none", "bf16", "topk"):
            lines = steps(DDP, "-t", "2", "--steps", "12", "--assert-accounting", "--hook", hook)
            self.assertLess(lines[-1]["loss"], lines[0]["loss"] - 0.1)
            sent[hook] = sum(one["bytes"] for one in lines[-1]["comm"]
                             if one["purpose"].startswith("gradient"))
        self.assertEqual(2 * sent["bf16"], sent["none"])
        self.assertLess(40 * sent["topk"], sent["none"])


class Words(unittest.TestCase):
    def test_that_make_no_sense_get_one_sentence_and_exit_code_2(self):
        whole = ["--zero", "0"]
        for words, said in ((["--shard-size", "3", "-t", "4"], "choices: 1, 2, 4"),
                            (["--shard-size", "2", *whole], "--zero 1, 2 or 3"),
                            (["--sync", "tree"], "train_ddp"),
                            (["--sync", "ring"], "parameter_server"),
                            (["--hook", "fp16"], "train_ddp"),
                            (["--hook", "fp8", *whole], "bf16"),
                            (["--hook", "fp16", "--deterministic", *whole], "bits"),
                            (["--hook", "bf16", "--precision", "half", *whole], "16 bits"),
                            (["--hook", "topk", "--sync", "tree", *whole], "--sync"),
                            (["--hook", "topk", "--topk-ratio", "0", *whole], "above 0"),
                            (["--topk-ratio", "0.5", *whole], "--hook")):
            for dry in ([], ["--dry-run"]):
                with self.subTest(words=words + dry):
                    done = run([FSDP, *words, *dry])
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(said, done.stderr)
                    self.assertEqual(done.stdout, "")

    def test_plan_of_hybrid_sharding_names_axes_and_purposes(self):
        done = run([FSDP, "-t", "4", "--shard-size", "2", "--dry-run"])
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in ("# hybrid sharding: 2 replicas (dp_replicate) of 2 shards (dp_shard)",
                     "sent by a rank on dp_replicate for gradient all_reduce: ",
                     "sent by a rank on dp_shard for gradient reduce_scatter: "):
            self.assertIn("\n" + line, done.stdout)


if __name__ == "__main__":
    main()
