"""linerate sweep runs a matrix, keeps each case, and goes on where it was cut."""

import json

from support import main
from sweep import Sweeps

SMALL = "collectives: [all_reduce, all_gather]\nsizes: [64, 1K:4K]\nranks-per-node: [1, 2]\n"


class Sweep(Sweeps):
    def test_runs_each_case_once_and_keeps_it_with_its_environment(self):
        study = self.study(SMALL + "environment: {NCCL_ALGO: [~, Ring]}\n")
        planned = self.planned(study)

        done = self.sweep(str(study), NCCL_DEBUG="WARN")

        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertIn("# 16 cases of 16: 16 ok\n", done.stdout)
        kept = [command for command, in self.query("SELECT command FROM cases ORDER BY id")]
        self.assertEqual(kept, planned)  # in the order of the seed
        self.assertNotEqual(kept, sorted(kept))
        for variables, kept_environment in self.query("SELECT variables, environment FROM cases"):
            algo = json.loads(variables)["NCCL_ALGO"]
            expected = ["NCCL_DEBUG=WARN"] if algo is None else ["NCCL_ALGO=Ring",
                                                                 "NCCL_DEBUG=WARN"]
            own = [entry for entry in json.loads(kept_environment) if entry.startswith("NCCL_")]
            self.assertEqual(own, expected)
        self.assertEqual(self.query("SELECT count(*) FROM results WHERE bytes = 64"), [(16,)])
        self.assertEqual(self.query("PRAGMA journal_mode"), [("wal",)])
        self.assertEqual(self.query("PRAGMA user_version"), [(1,)])

    def test_goes_on_with_what_is_left_and_adds_what_is_new(self):
        self.assertEqual(self.sweep(str(self.study(SMALL)), "--sizes", "64").returncode, 0)
        first = self.query("SELECT id, start_time FROM cases")

        done = self.sweep(str(self.study(SMALL)), "--repeat", "2")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.query("SELECT id, start_time FROM cases LIMIT 4"), first)
        self.assertEqual(self.query("SELECT count(*) FROM cases"), [(16,)])
        self.assertIn("# 0 runs of 8 left", self.sweep(str(self.study(SMALL)), "--dry-run").stdout)

    def test_calls_a_case_slow_that_is_slower_than_it_should_be(self):
        done = self.sweep("-o", str(self.db), "--collectives", "all_reduce", "--sizes", "1M",
                          "--backend", "fake", "--start", "threads", "--options",
                          "-n 1 -w 0 --fake slow_link=0-1:0.3")
        self.assertEqual(done.returncode, 3, done.stderr + done.stdout)
        self.assertEqual(self.query("SELECT outcome FROM cases"), [("slow",)])
        self.assertIn("#   1048576 B, out of place: got ", done.stdout)

    def test_is_refused_what_it_cannot_do(self):
        typo = self.study("collectives: all_reduce\nrank-per-node: 2\n")
        for words, reason in (
                ([str(typo)], "did you mean '--ranks-per-node'"),
                (["--collectives", "all_reduec"], "Did you mean 'all_reduce'"),
                (["--datatype", "float,fp16"], "Did you mean 'half'"),
                (["--backend", "host,ncl"], "Did you mean 'nccl'"),
                (["--again", "hang"], "Unknown outcome 'hang'"),
                (["--environment", "x"], "give NAME=VALUE"),
                (["--sizes", "8,"], "is no size of runs"),
                (["--nodes", "2"], "give --start mpirun or srun"),
                ([], "-o/--output is required"), (["/no/such.yaml"], "The study /no/such.yaml: "),
                (["-o", "/proc/x.db"], "cannot be opened")):
            with self.subTest(words=words):
                done = self.sweep(*words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(reason, done.stderr)

    def test_says_how_long_it_takes(self):
        study = self.study(SMALL)
        self.assertIn("# 8 runs: at most 1 h 20 min, by --limit", self.sweep(
            str(study), "--dry-run").stdout)
        self.sweep(str(study), "--sizes", "64")
        self.assertRegex(self.sweep(str(study), "--dry-run").stdout,
                         r"# 4 runs of 8 left: about \d+ s, by the runs in ")

    def test_prints_jobs_that_read(self):
        study = str(self.study(SMALL))
        script = self.sweep(study, "--nodes", "1,2", "--print", "sbatch").stdout
        self.assertIn("#SBATCH --nodes=2\n", script)
        for form, kind in (("mpijob", "MPIJob"), ("pytorchjob", "PyTorchJob"),
                           ("rayjob", "RayJob")):
            done = self.sweep(study, "--nodes", "1,2", "--print", form)
            self.assertEqual(done.returncode, 0, done.stderr)
            parts = done.stdout.split("---\n")
            self.assertEqual(len(parts), 2)
            self.assertIn(f"\nkind: {kind}\n", parts[1])
            self.assertNotRegex(parts[1], r"\{[a-z-]+\}")  # a place that was not filled
        self.assertFalse(self.db.exists())


if __name__ == "__main__":
    main()
