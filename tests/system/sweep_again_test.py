"""linerate sweep --again runs what it is told to, once, whenever it is interrupted."""

import os
import signal
import subprocess
import time

from support import environment, main
from sweep import LINERATE, Sweeps


class Again(Sweeps):
    """Cases of all_reduce do not start, those of all_gather crash."""

    def setUp(self):
        super().setUp()
        self.called = self.folder / "called"  # a line for each start
        self.pid = self.folder / "pid"  # of the last start
        self.start = self.folder / "start"
        self.start.write_text(f"#!/bin/sh\necho $$ > {self.pid}\necho >> {self.called}\n"
                              f"[ $(wc -l < {self.called}) != $WAIT ] || exec sleep 60\n"
                              'case "$*" in *all_gather*) kill -9 $$; esac\nexit 1\n')
        self.start.chmod(0o755)

    def words(self, collectives: str, sizes: str) -> list[str]:
        return ["-o", str(self.db), "--collectives", collectives, "--sizes", sizes,
                "--start", f"{self.start} {{ranks}}"]

    def ncalls(self) -> int:
        return len(self.called.read_text())

    def nleft(self, words: list[str], again: str) -> int:
        done = self.sweep(*words, "--again", again, "--dry-run")
        return int(done.stdout.splitlines()[-1].split()[1])  # "# 2 runs of 3 left: ..."

    def interrupted(self, words: list[str], again: str, at: int,
                    how: signal.Signals = signal.SIGINT) -> None:
        """Until the start of number `at` waits."""
        with subprocess.Popen([LINERATE, "sweep", *words, "--again", again],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=environment(WAIT=str(at))) as job:
            end = time.monotonic() + 60
            while self.ncalls() < at and time.monotonic() < end:
                time.sleep(0.02)
            job.send_signal(how)
        if how == signal.SIGKILL:
            os.kill(int(self.pid.read_text()), signal.SIGKILL)  # nobody else ends it

    def test_goes_on_with_what_it_has_left_and_not_more(self):
        words = self.words("all_reduce", "8,64,1K")
        self.sweep(*words, WAIT="0")
        for before, how in ((3, signal.SIGINT), (7, signal.SIGKILL)):
            with self.subTest(how=how):
                self.interrupted(words, "no_start", before + 2, how)
                self.assertEqual(self.nleft(words, "no_start"), 2)

                done = self.sweep(*words, "--again", "no_start", WAIT="0")

                self.assertIn("--again no_start was interrupted: it goes on with what it has left",
                              done.stderr)
                self.assertEqual(self.ncalls(), before + 4)  # one of them twice
        self.assertEqual(self.nleft(words, "no_start"), 3)

    def test_leaves_other_studies_of_the_file_alone(self):
        first, second = self.words("all_reduce", "8,64"), self.words("all_reduce", "1K,2K")
        self.sweep(*first, WAIT="0")
        self.sweep(*second, WAIT="0")
        self.sweep(*first, "--again", "no_start", WAIT="0")
        more = self.words("all_reduce", "1K,2K,4K")
        self.sweep(*more, WAIT="0")  # one more that does not start

        done = self.sweep(*more, "--again", "no_start", WAIT="0")

        self.assertNotIn("interrupted", done.stderr)
        self.assertEqual(self.ncalls(), 2 + 2 + 2 + 1 + 3)

    def test_runs_all_of_an_outcome_that_was_not_named_before(self):
        words = self.words("all_reduce,all_gather", "8,64")
        self.sweep(*words, WAIT="0")
        self.interrupted(words, "no_start", 4 + 2)

        self.assertEqual(self.nleft(words, "no_start,crashed"), 3)
        done = self.sweep(*words, "--again", "no_start,crashed", WAIT="0")

        self.assertIn("--again no_start was interrupted", done.stderr)
        self.assertEqual(self.ncalls(), 4 + 2 + 3)

    def test_does_not_begin_anew_with_an_outcome_of_which_all_have_run(self):
        words = self.words("all_reduce,all_gather", "8")
        self.sweep(*words, WAIT="0")
        seed = next(str(seed) for seed in range(50) if "all_gather" in self.sweep(
            *words, "--again", "no_start,crashed", "--dry-run", "--seed", str(seed),
        ).stdout.splitlines()[1])
        self.interrupted([*words, "--seed", seed], "no_start,crashed", 2 + 2)
        self.assertEqual(self.nleft(words, "no_start,crashed"), 1)


if __name__ == "__main__":
    main()
