"""A sweep that is killed at any moment goes on to the same set of cases, and loses none."""

import os
import random
import signal
import subprocess
import time
import unittest

from support import environment, main, needs, needs_root, run
from sweep import LINERATE, Sweeps

KILLS = int(os.environ.get("LINERATE_KILLS", "4"))  # 50 in the slow suite
SEED = int(os.environ.get("LINERATE_SEED", "18"))
STUDY = "collectives: [all_reduce, all_gather, broadcast]\nsizes: [8, 64, 1K]\n"
LIMIT_S = 600  # of hundreds of cases, beside other programs
REPEATS = str(max(4, KILLS))  # so that not all is done before the last kill


class Kills(Sweeps):
    def kept(self) -> set[tuple]:
        if not self.db.exists() or not self.query("SELECT 1 FROM sqlite_schema"):
            return set()
        self.assertEqual(self.query("PRAGMA integrity_check"), [("ok",)])
        return set(self.query("SELECT command, repeat, start_time, outcome FROM cases"))

    def killed_after(self, seconds: float, study: str) -> None:
        command = [LINERATE, "sweep", study, "--repeat", REPEATS]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=environment(), start_new_session=True) as job:
            time.sleep(seconds)
            os.kill(job.pid, signal.SIGKILL)

    def test_resume_to_the_same_set(self):
        study = str(self.study(STUDY))
        planned = sorted(self.planned(self.folder / "night.yaml", "--repeat", REPEATS))
        moments = random.Random(SEED)
        before: set[tuple] = set()
        for _ in range(KILLS):
            self.killed_after(moments.uniform(0, 0.8), study)
            after = self.kept()
            self.assertLessEqual(before, after)  # not one is lost, and not one ran again
            before = after

        done = run([LINERATE, "sweep", study, "--repeat", REPEATS], LIMIT_S)

        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertLessEqual(before, self.kept())
        self.assertEqual(sorted(command for command, *_ in self.kept()), planned)
        self.assertEqual({outcome for *_, outcome in self.kept()}, {"ok"})

    def on_a_small_disk(self, script: str) -> subprocess.CompletedProcess:
        """Runs the script in a folder with 6 MiB; it has SWEEP and LIST."""
        needs_root()
        needs("unshare")
        disk = self.folder / "disk"
        disk.mkdir()
        study = self.study(STUDY)
        done = run(["unshare", "--mount", "sh", "-c",
                    f"mount -t tmpfs -o size=6m none {disk} || exit 9; cd {disk}\n{script}"],
                   SWEEP=f"{LINERATE} sweep {study} -o x.db --seed 1",
                   LIST=f"{LINERATE} results x.db")
        if done.returncode == 9 or done.stderr.startswith("unshare:"):
            raise unittest.SkipTest("no mounts here: a container that may not make them")
        return done

    def test_a_full_disk_is_a_sentence_and_loses_nothing(self):
        done = self.on_a_small_disk(
            "$SWEEP --repeat 1\n"
            "head -c 3m /dev/zero > filler; $SWEEP --repeat 2; echo code $?\n"
            "head -c 9m /dev/zero >> filler; $SWEEP --repeat 2; echo code $?\n"
            "$LIST | tail -n 1; rm filler; $SWEEP --repeat 2; echo code $?\n")
        self.assertIn("The disk of x.db is full: a case needs 4 MiB there", done.stderr)
        self.assertIn("its disk may be full", done.stderr)
        self.assertIn("code 1\ncode 1\n# 9 ok\n", done.stdout)
        self.assertTrue(done.stdout.endswith("# 18 cases of 18: 18 ok\ncode 0\n"), done.stdout)

    def test_a_disk_that_fills_up_while_a_case_runs_does_not_take_it(self):
        done = self.on_a_small_disk(
            "echo 'head -c 9m /dev/zero > filler 2>&-; shift; exec \"$@\"' > fill; chmod +x fill\n"
            "$SWEEP --repeat 1 --start './fill {ranks}'; echo code $?; $LIST | tail -n 1\n")
        self.assertIn("The disk of x.db is full", done.stderr)
        self.assertTrue(done.stdout.endswith("code 1\n# 1 ok\n"), done.stdout)


if __name__ == "__main__":
    main()
