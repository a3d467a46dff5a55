"""What reaches the table and the files when a run, or where it writes to, does not go well."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import environment, json_lines, main, mpirun, needs, rows, run, tool

SWEEP = ["-t", "2", "-b", "1K", "-e", "4K", "-f", "2", "-n", "3"]
FAKE = ["-b", "1K", "-e", "1M", "-f", "2", "-n", "4", "-t", "3", "--backend", "fake", "--fake"]


def results(lines: list[dict]) -> int:
    return sum(line["kind"] == "result" for line in lines)


class Streams(unittest.TestCase):
    def test_a_closed_stdout_leaves_the_file_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.jsonl"
            command = f"exec {tool('all_reduce_perf')} {' '.join(SWEEP)} --jsonl {path} >&-"
            done = subprocess.run(["bash", "-c", command], env=environment(), check=False,
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(results(json_lines(path)), 6)

    def test_a_reader_that_leaves_is_no_death_of_a_rank(self):
        """p2p_perf prints its matrices at its end, when the other process waits for its code."""
        command = [tool("p2p_perf"), "-e", "8M", "-n", "50", "--nprocs", "2"]
        with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as job:
            job.stdout.readline()
            job.stdout.close()
            try:
                _, errors = job.communicate(timeout=60)
            finally:
                job.kill()  # of a job that hangs: one that ended is left alone
        self.assertEqual(job.returncode, 1, errors)
        self.assertIn("Broken pipe", errors)
        self.assertNotIn("died", errors)

    def test_a_full_device_is_said(self):
        for words in (["--help"], SWEEP, ["--list"]):
            with self.subTest(words=words), Path("/dev/full").open("w", encoding="utf-8") as full:
                done = subprocess.run([tool("all_reduce_perf"), *words], stdout=full, text=True,
                                      stderr=subprocess.PIPE, env=environment(), timeout=60,
                                      check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("No space left", done.stderr)


class FailedRuns(unittest.TestCase):
    def failed(self, fault: str) -> tuple[subprocess.CompletedProcess, list[dict]]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.jsonl"
            done = run([tool("all_reduce_perf"), *FAKE, fault, "-T", "1", "--jsonl", str(path)])
            return done, json_lines(path)

    def test_do_not_end_in_words_of_success(self):
        for fault in ("hang=1:60", "die=1:60"):
            with self.subTest(fault=fault):
                done, _ = self.failed(fault)
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn("# Out of bounds values : 0 FAILED", done.stdout)

    def test_a_rank_that_dies_is_named_on_stderr_and_in_the_file(self):
        done, lines = self.failed("die=1:60")
        self.assertIn("Rank 1 died in its call 60", done.stderr)
        self.assertIn("Rank 1 died in its call 60", lines[-1]["error"])

    def test_keep_the_placement_that_was_measured(self):
        counts = set()
        for call in range(12, 60, 5):
            done, lines = self.failed(f"die=1:{call}")
            extra = results(lines) - 2 * len(rows(done.stdout))
            self.assertIn(extra, (0, 1), done.stdout)
            counts.add(extra)
        self.assertEqual(counts, {0, 1})


class Crowds(unittest.TestCase):
    def test_only_ranks_without_a_core_of_their_own_are_said_to_share(self):
        crowd = str(2 * (os.cpu_count() or 1))
        self.assertIn("times show", run([tool("all_reduce_perf"), *SWEEP[2:], "-t", crowd]).stderr)
        self.assertNotIn("times show", run([tool("all_reduce_perf"), *SWEEP[2:], "-t", "1"]).stderr)
        needs("mpirun")
        self.assertNotIn("times show", run(mpirun(2, tool("all_reduce_perf"), *SWEEP[2:])).stderr)


class TooMuch(unittest.TestCase):
    def test_a_sweep_of_too_many_sizes_is_refused(self):
        for words in (["-b", "1", "-e", "4G", "-i", "1"], ["-e", "9999T", "--list"]):
            with self.subTest(words=words):
                done = run([tool("all_reduce_perf"), "-t", "2", *words], limit_s=30)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("sizes", done.stderr)


if __name__ == "__main__":
    main()
