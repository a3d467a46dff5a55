"""linerate sweep says how a case ended, and ends itself when it is interrupted."""

import os
import signal
import subprocess
import time

from support import environment, main
from sweep import LINERATE, Sweeps


class Outcomes(Sweeps):
    def test_names_what_ended_otherwise_than_well(self):
        cases = {"hung": "--fake hang=1:3", "wrong": "--fake flip=1", "crashed": "--fake die=1:3",
                 "no_start": "--no-such-option"}
        study = ["-o", str(self.db), "--collectives", "all_reduce", "--sizes", "8", "--backend",
                 "fake", "--start", "threads", "--limit", "3", "--options"]
        for outcome, words in cases.items():
            done = self.sweep(*study, f"-n 20 --expect off {words}")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"--again {outcome} runs what ended so once more", done.stderr)
            self.assertEqual(self.query("SELECT outcome FROM cases ORDER BY id DESC LIMIT 1"),
                             [(outcome,)], done.stdout + done.stderr)
        self.assertIn("Unknown option '--no-such-option'", self.results().stdout)
        self.assertEqual(self.results("--where", "outcome=hung").stdout.count("all_reduce"), 1)
        again = self.sweep(*study, "-n 20 --expect off --no-such-option", "--again", "no_start")
        self.assertEqual(again.returncode, 1)
        self.assertEqual(self.query("SELECT count(*), max(id) FROM cases"), [(4, 5)])

    def test_ends_when_it_is_interrupted_and_says_how_to_go_on(self):
        words = [LINERATE, "sweep", "-o", str(self.db), "--collectives", "all_reduce", "--backend",
                 "fake", "--start", "threads", "--options", "-n 20 --fake hang=1:3"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment()) as job:
            time.sleep(1)
            os.kill(job.pid, signal.SIGINT)
            _, errors = job.communicate(timeout=20)
        self.assertEqual(job.returncode, 130, errors)
        self.assertIn("the same command goes on", errors)
        self.assertEqual(self.query("SELECT count(*) FROM cases"), [(0,)])


if __name__ == "__main__":
    main()
