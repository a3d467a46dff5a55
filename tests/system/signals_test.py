"""Ctrl-C in the middle of a run: what was measured is closed as a whole, exit 130."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from job import LONG_SWEEP, Job, rank_pids, wait_until_caught
from support import environment, main, tool

ANSWER = "interrupted: waiting for the calls under way; once more to end at once"


class Interrupted(unittest.TestCase):
    def interrupted(self, *launch: str, everybody: bool) -> tuple[int, str, dict]:
        """Exit code, table and the last JSON line of a run that SIGINT ends, which says so once."""
        with tempfile.TemporaryDirectory() as folder:
            job = Job(Path(folder), [tool("all_reduce_perf"), *LONG_SWEEP, *launch])
            job.wait_for_rows(2)
            for pid in {job.process.pid, *(rank_pids(job.out).values() if everybody else ())}:
                os.kill(pid, signal.SIGINT)
            code, _ = job.end(20)
            last = json.loads(job.jsonl.read_text().splitlines()[-1])
            self.assertEqual(job.err.read_text().count(ANSWER), 1, job.err.read_text())
            return code, job.out.read_text(), last

    def check(self, code: int, table: str, last: dict) -> None:
        self.assertEqual(code, 130)
        self.assertIn("# Out of bounds values : 0 OK", table)
        self.assertIn("# Collective test concluded: all_reduce_perf", table)
        self.assertEqual((last["kind"], last["exit_code"]), ("end", 130))

    def test_threads(self):
        self.check(*self.interrupted("-t", "2", everybody=False))

    def test_processes_as_a_terminal_tells_all_of_them(self):
        self.check(*self.interrupted("--nprocs", "2", everybody=True))

    def test_processes_when_only_the_parent_is_told(self):
        self.check(*self.interrupted("--nprocs", "2", everybody=False))

    def test_the_only_case(self):
        """It ends with its window, or where it has a pause within a second or two."""
        one = ["-b", "1M", "-e", "1M", "-t", "2"]
        for what, words in (("window", ["-n", "1000"]), ("warm-up", ["-w", "100000000"]),
                            ("samples", ["-n", "20", "--stop", "max=100s"]),
                            ("checks", ["-n", "20", "-c", "1000000"])):
            with self.subTest(what=what), tempfile.TemporaryDirectory() as folder:
                job = Job(Path(folder), [tool("all_reduce_perf"), *one, *words])
                job.wait_for_heading()
                job.process.send_signal(signal.SIGINT)
                code, took_s = job.end(60)
                self.assertEqual(code, 130, job.err.read_text())
                if what != "window":
                    self.assertLess(took_s, 6)  # a second, and a machine with other work
                last = json.loads(job.jsonl.read_text().splitlines()[-1])
                self.assertEqual((last["kind"], last["exit_code"]), ("end", 130))

    def test_pairs(self):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(Path(folder), [tool("p2p_perf"), "-t", "4", "-n", "20000"])
            job.wait_for_heading()
            job.process.send_signal(signal.SIGINT)
            code, _ = job.end(20)
            self.assertEqual(code, 130, job.err.read_text())

    def test_commands_that_print_at_their_end_end_at_once(self):
        for words in (("tune", "host", "--nranks", "2"), ("topo", "--measure")):
            with self.subTest(words=words), tempfile.TemporaryDirectory() as folder:
                command = subprocess.Popen(
                    [tool("linerate"), *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                    text=True, env=environment(XDG_CACHE_HOME=folder))
                wait_until_caught(command, signal.SIGINT)
                command.send_signal(signal.SIGINT)
                _, said = command.communicate(timeout=30)
                self.assertEqual((command.returncode, said), (130, "linerate: interrupted\n"))
                self.assertFalse([p for p in Path(folder).rglob("*") if p.is_file()])

    def test_a_stopped_rank_does_not_keep_a_run_that_is_asked_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(Path(folder), [tool("all_reduce_perf"), *LONG_SWEEP, "--nprocs", "3"])
            job.wait_for_rows(2)
            os.kill(rank_pids(job.out)[2], signal.SIGSTOP)
            os.kill(job.process.pid, signal.SIGINT)
            job.wait_for_error(ANSWER)
            time.sleep(1)  # within half of it, it would be the same request
            os.kill(job.process.pid, signal.SIGINT)
            code, _ = job.end(20)
            self.assertIn(code, (4, 130), job.err.read_text())


if __name__ == "__main__":
    main()
