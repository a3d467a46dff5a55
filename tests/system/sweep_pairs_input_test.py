"""linerate sweep pairs: words that it refuses, its end by Ctrl-C, and what the fake injects."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import time
import unittest

from support import environment, main, run, tool
from sweep_pairs_test import search

REFUSED = (
    (["--below", "100%", "-t", "3"], "5% to 99%"),
    (["--below", "much", "-t", "3"], "not a percentage"),
    (["--rounds", "0", "-t", "3"], "1 to 1000"),
    (["-e", "0", "-t", "3"], "at least 1"),
    (["-n", "0", "-t", "3"], "from 1 to"),
    (["-c", "2", "-t", "3"], "0 to 1"),
    (["--seed", "-1", "-t", "3"], "from 0 to"),
    (["--bakend", "host", "-t", "3"], "did you mean '--backend'"),
    (["here", "-t", "3"], "belongs to no option"),
    (["-t", "2"], "at least 3 nodes"),
    (["--hostfile", "/nowhere", "-t", "3"], "/nowhere"),
    (["--json", "--hostfile", "/etc/hosts", "-t", "3"], "exclude each other"),
)


class Input(unittest.TestCase):
    def test_what_makes_no_sense_is_refused(self):
        for words, why in REFUSED:
            with self.subTest(words=words):
                done = search(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(why, done.stderr)

    def test_help_is_its_own(self):
        done = search("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--hostfile FILE", done.stdout)
        self.assertNotIn("--collectives", done.stdout)

    def test_its_name_is_suggested(self):
        done = run([tool("linerate"), "sweep", "pair", "-t", "3"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("Did you mean 'linerate sweep pairs'?", done.stderr)

    def test_progress_says_what_is_measured(self):
        here, terminal = pty.openpty()
        with subprocess.Popen([tool("linerate"), "sweep", "pairs", "-t", "3"], stderr=terminal,
                              stdout=subprocess.DEVNULL, env=environment()) as job:
            os.close(terminal)
            said = b""
            with contextlib.suppress(OSError):  # the end of a terminal
                while part := os.read(here, 65536):
                    said += part
        os.close(here)
        self.assertEqual(job.returncode, 0, said)
        self.assertRegex(said.decode(), r"sweep pairs: \d+ rounds in ")

    def test_an_interruption_keeps_what_is_known(self):
        with subprocess.Popen([tool("linerate"), "sweep", "pairs", "-t", "4", "-n", "200"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment()) as job:
            time.sleep(2)
            job.send_signal(signal.SIGINT)
            out, err = job.communicate(timeout=100)
        self.assertEqual(job.returncode, 130, err)
        self.assertIn("# interrupted: not everything was measured", out)

    def test_wrong_data_is_said(self):
        done = search("-t", "4", "--backend", "fake", "--fake", "flip=2", "-e", "64K")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("# wrong data between", done.stdout)
        self.assertIn("rank 2", done.stdout)

    def test_a_slow_pair_is_a_link(self):
        done = search("-t", "5", "--backend", "fake", "--fake", "slow_link=1-3:0.5", "-e", "1M",
                      "--json")
        faults = json.loads(done.stdout)["faults"]
        self.assertEqual([(fault["kind"], fault["ranks"]) for fault in faults], [("link", [1, 3])])


if __name__ == "__main__":
    main()
