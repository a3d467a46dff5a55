"""Tensor, context and pipeline parallelism as users start them: losses, refusals, the plan."""

import tempfile
import unittest
from pathlib import Path

from support import main, mpirun, needs_module, run, tool
from train_test import EXACT, steps

REFUSED = {
    "train_fsdp -t 2 --tp 2": "train_3d",
    "train_3d -t 3 --tp 3": "--tp 3 does not divide the 4 heads of nano",
    "train_3d -t 2 --tp 2 --hook topk": "--hook topk",
    "train_3d -t 2 --sequence-parallel": "--sequence-parallel belongs to --tp N",
    "train_3d -t 2 --tp 1 --sequence-parallel": "give 2 of them or more",
    "train_3d -t 4 --tp 4 --cp 3 --sequence-parallel": "--cp 3 does not divide 1 data-parallel",
    "train_fsdp -t 2 --cp 2": "train_3d",
    "train_3d -t 3 --cp 3": "--cp 3 does not divide the 128 positions",
    "train_3d -t 2 --cp 2 --tp 2": "--cp 2 does not divide 1 data-parallel rank; choices: 1.",
    "train_3d --cp-method ulysses": "--cp-method belongs to --cp N",
    "train_3d -t 8 --model llama-mini --cp 8 --cp-method ulysses": "key and value heads that",
    "train_fsdp -t 2 --pp 2": "train_3d",
    "train_3d -t 3 --pp 3": "--pp 3 does not divide the 4 layers of nano; choices: 1, 2, 4.",
    "train_3d -t 2 --pp 2 --virtual-stages 2": "interleaved",
    "train_3d -t 2 --pp 2 --schedule zb-h1 --recompute full": "--recompute does not",
    "train_3d -t 2 --pp 2 --schedule 2f2b": "'2f2b'",
    "train_3d -t 2 --pp 1 --schedule 2f2b": "'2f2b'",
    "train_3d -t 4 --tp 2 --pp 2 --order tp-cp": "--order tp-cp says nothing of pp, which has 2",
    "train_3d --order tp-xp": "Unknown axis 'xp'",
    "train_3d --order pp-tp --rank-order /dev/null": "--order and --rank-order both say",
    "train_3d --rank-order /etc/hostname": "it is no placement",
    "train_3d --schedule gpipe": "--schedule belongs to --pp N",
    "train_3d --nprocs 4 --tp 3": "--tp 3 does not divide 4 ranks",
    "train_3d --nprocs 2 --slow-rank 5:1ms": "--slow-rank names rank 5, but",
    "train_3d -t 2 --slow-rank 5:1ms --dry-run": "--slow-rank names rank 5, but",
}


class Losses(unittest.TestCase):
    """Those of train_ddp on one rank, to the bit."""

    def setUp(self):
        self.losses = [line["loss"] for line in steps(tool("train_ddp"), *EXACT)]

    def same(self, *command: str) -> None:
        self.assertEqual([line["loss"] for line in steps(*command, *EXACT)], self.losses)

    def test_where_ranks_share_layers(self):
        self.same(tool("train_3d"), "-t", "2", "--tp", "2")
        self.same(tool("train_3d"), "-t", "4", "--tp", "4")
        self.same(tool("train_3d"), "--nprocs", "4", "--tp", "2", "--zero", "3")
        self.same(tool("train_3d"), "-t", "4", "--tp", "4", "--sequence-parallel")

    def test_where_ranks_share_sequences(self):
        self.same(tool("train_3d"), "-t", "2", "--cp", "2")
        self.same(tool("train_3d"), "-t", "4", "--cp", "4", "--cp-method", "ulysses")
        self.same(tool("train_3d"), "--nprocs", "4", "--tp", "2", "--cp", "2", "--zero", "3")
        self.same(tool("train_3d"), "--nprocs", "4", "--pp", "2", "--cp", "2", "--zero", "2")

    def test_where_stages_pass_micro_batches_on(self):
        self.same(tool("train_3d"), "--nprocs", "4", "--tp", "2", "--pp", "2")
        self.same(tool("train_3d"), "-t", "4", "--pp", "2", "--schedule", "interleaved",
                  "--virtual-stages", "2", "--zero", "3")
        self.same(tool("train_3d"), "-t", "4", "--pp", "4", "--backend", "fake")
        self.same(tool("train_3d"), "-t", "4", "--pp", "2", "--schedule", "zb-h1", "--zero", "2")

    def test_in_other_orders_of_ranks(self):
        eight = [tool("train_3d"), "--nprocs", "8", "--tp", "2", "--pp", "2"]
        self.same(*eight, "--order", "pp-dp-tp")
        plan = run([*eight, "--order", "pp-dp-tp", "--dry-run"]).stdout
        self.assertIn("# ranks along tp: 0 4 | 2 6 | 1 5 | 3 7", plan)
        with tempfile.TemporaryDirectory() as folder:
            for nranks in (4, 8):
                words = ["--nranks", str(nranks), "--tp", "2", "--pp", "2", "--format", "json"]
                placed = run([tool("linerate"), "topo", "place", "--platform", "dgx-h100", *words])
                (Path(folder) / f"{nranks}.json").write_text(placed.stdout)
            self.same(tool("train_3d"), "-t", "4", "--tp", "2", "--pp", "2", "--rank-order",
                      f"{folder}/4.json")
            done = run([tool("train_3d"), "-t", "4", "--tp", "2", "--pp", "2", "--rank-order",
                        f"{folder}/8.json", "--dry-run"])
            self.assertEqual(done.returncode, 2)
            self.assertIn("--rank-order is for 8 ranks, and this run has 4", done.stderr)

    def test_under_mpirun(self):
        needs_module("mpi")
        self.same(*mpirun(4, tool("train_3d")), "--tp", "2", "--pp", "2")
        self.same(*mpirun(4, tool("train_3d")), "--tp", "2", "--cp", "2")

    def test_on_gloo(self):
        needs_module("gloo")
        self.same(tool("train_3d"), "--nprocs", "4", "--pp", "4", "--backend", "gloo")


class Words(unittest.TestCase):
    def test_that_ask_for_no_layout_are_refused_by_one_sentence(self):
        for words, phrase in REFUSED.items():
            program, *rest = words.split()
            done = run([tool(program), *rest])
            self.assertEqual(done.returncode, 2, words)
            said = [line for line in done.stderr.splitlines() if "note:" not in line]
            self.assertEqual(len(said), 1, done.stderr)
            self.assertIn(phrase, said[0], words)

    def test_draw_the_schedule_without_training(self):
        done = run([tool("train_3d"), "-t", "4", "--pp", "4", "--schedule", "gpipe", "--dry-run"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\n0 F0F1F2F3F4F5F6F7......", done.stdout)
        self.assertIn("\n3 ......F0F1F2F3F4F5F6F7B0--B1--", done.stdout)
        self.assertIn(", of stage 3\n", done.stdout)
        self.assertIn("\nsent by a rank on pp for activation: 0 to 524288 bytes\n", done.stdout)


if __name__ == "__main__":
    main()
