"""Where --elastic ends, what it refuses, and what it does about a lack of memory."""

import os
import resource
import signal
import subprocess

from elastic import LAYOUTS, TRAINING, Elastic, Kill, children_of
from support import environment, main, mpirun, needs_module, run, tool
from train_records_test import documented


class Ends(Elastic):
    def test_goes_on_until_too_few_are_left(self):
        kills = [Kill(2, 0, (0, 7)), Kill(6, 0, (3,)), Kill(9, 0, (0, 1))]
        code, said = self.train_through(kills, [tool("train_fsdp")], "--min-ranks", "4")
        self.assertEqual(code, 4, said)
        self.assertIn("ranks 0, 1 of 5 were lost: 3 left, of which --min-ranks 4 are needed", said)
        self.assertEqual([(line["lost_ranks"], line["nranks"]) for line in self.lines("recovery")],
                         [([0, 7], 6), ([3], 5)])

    def test_gives_up_after_so_many_restarts(self):
        code, said = self.train_through([Kill(1, 0, (2,))], LAYOUTS[0], "--max-restarts", "0")
        self.assertEqual(code, 4, said)
        self.assertIn("--elastic: rank 2 of 8 was lost, after all of --max-restarts 0.", said)

    def test_goes_on_where_a_rank_dies_as_the_job_starts(self):
        """Nobody watches yet, so that the others do not end by themselves."""
        for rank in (3, 0):
            command = [tool("train_ddp"), "--nprocs", "4", "--steps", "2", "--elastic",
                       "--checkpoint", f"{self.folder}{rank}", "--jsonl", str(self.jsonl)]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  text=True, env=environment()) as job:
                while len(children_of(job.pid)) < 4:
                    self.assertIsNone(job.poll())
                os.kill(children_of(job.pid)[rank], signal.SIGKILL)
                _, said = job.communicate(timeout=60)
            self.assertEqual(job.returncode, 0, said)
        self.assertEqual([(line["lost_ranks"], line["nranks"]) for line in self.lines("recovery")],
                         [([3], 3), ([0], 3)])

    def test_never_resumes_what_another_run_has_saved(self):
        other = self.folder.with_name("other")
        for folder, steps in ((other, "3"), (self.folder, "6")):
            done = run([tool("train_ddp"), "--steps", steps, "--checkpoint", str(folder)])
            self.assertEqual(done.returncode, 0, done.stderr)
        command = [tool("train_ddp"), "--nprocs", "3", "--steps", "12", "--elastic",
                   "--resume", str(self.folder / "step-000006"), "--checkpoint", str(other),
                   "--jsonl", str(self.jsonl)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment()) as job:
            self.await_step(job, 8)
            os.kill(children_of(job.pid)[1], signal.SIGKILL)
            self.assertEqual(job.wait(timeout=60), 0)
        self.assertEqual([line["resumed_step"] for line in self.lines("recovery")], [6])

    def test_ends_where_it_is_interrupted(self):
        command = [*LAYOUTS[1], "--nprocs", "2", *TRAINING, *self.save, "--steps", "100000",
                   "--jsonl", str(self.jsonl)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment()) as job:
            self.await_step(job, 2)
            job.send_signal(signal.SIGINT)
        self.assertEqual(job.returncode, 130)
        self.assertEqual(self.lines("recovery"), [])

    def test_halves_micro_batches_where_memory_is_short(self):
        def limit() -> None:  # of the file that ranks share as memory
            resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 20, 100 << 20))

        def train(*words: str) -> subprocess.CompletedProcess:
            return subprocess.run(
                [tool("train_ddp"), "--nprocs", "2", "--batch", "32", "--steps", "3", *self.save,
                 "--jsonl", str(self.jsonl), *words], capture_output=True, text=True, timeout=120,
                env=environment(), preexec_fn=limit, check=False)

        done = train()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("memory is short: micro-batches of 8 sequences instead of 16", done.stderr)
        self.assertEqual([(line["out_of_memory"], line["micro_batch"], line["lost_ranks"])
                          for line in self.lines("recovery")], [(True, 4, [])])
        self.assertEqual(len(self.lines("step")), 3)
        self.assertEqual(set(self.lines("recovery")[0]) - {"kind"},
                         documented("Steps of a trainer")["recovery"])
        done = train("--deterministic", "--micro-batch", "16", "--checkpoint",
                     str(self.folder.with_name("other")))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("with --deterministic results depend on --micro-batch", done.stderr)

    def test_is_refused_where_it_cannot_hold_what_it_promises(self):
        needs_module("mpi")
        program = [tool("train_ddp"), "--elastic"]
        saves = [*program, "--checkpoint", str(self.folder)]
        for command, said in (
                ([*program, "--nprocs", "2"], "--elastic belongs to --checkpoint DIR"),
                (saves, "needs ranks that are processes"),
                ([*saves, "--nprocs", "2", "--min-ranks", "3"], "--min-ranks 3"),
                ([*saves, "-t", "2"], "each rank in a process of its own"),
                ([*saves, "--nprocs", "2", "-t", "2"], "each rank in a process of its own"),
                (mpirun(2, *saves), "under an MPI launcher, which ends all ranks")):
            with self.subTest(command=command):
                done = run(command)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)


if __name__ == "__main__":
    main()
