"""linerate tune: what it measures, keeps and refuses; what later runs make of the table."""

import json
import os
import tempfile
import unittest
from pathlib import Path

from support import json_lines, run, tool

QUICK = ("--nranks", "2", "--collectives", "all_reduce,scatter", "-e", "1K")


def tune(cache: str, *words: str):
    return run([tool("linerate"), "tune", "host", *words], XDG_CACHE_HOME=cache)


def tables(cache: str) -> list[Path]:
    return sorted(Path(cache).glob("linerate/host-*.json"))


def run_line(cache: str, *command: str) -> tuple[dict, str]:
    """The run line of a run that went well, and what it said on stderr."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.jsonl"
        done = run([tool("all_reduce_perf"), "-b", "8", "-e", "8", *command, "--jsonl", str(file)],
                   XDG_CACHE_HOME=cache)
        assert done.returncode == 0, done.stderr
        return json_lines(file)[0], done.stderr


class Tune(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = folder.name

    def test_keeps_a_table_that_later_runs_use(self):
        before, _ = run_line(self.cache, "-g", "2")
        done = tune(self.cache, *QUICK)
        after, note = run_line(self.cache, "-g", "2")
        processes, _ = run_line(self.cache, "--nprocs", "2")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(before["tuning"].startswith("built in"), before["tuning"])
        self.assertTrue(after["tuning"].startswith("measured on"), after["tuning"])
        self.assertEqual(processes["tuning"], after["tuning"])
        self.assertIn("`linerate tune host` has kept (measured on ", note)
        table = json.loads(tables(self.cache)[0].read_text())
        kept = {rule["collective"] for rule in table["rules"]}
        self.assertLessEqual({"all_reduce", "scatter", "broadcast"}, kept)

    def test_prints_each_case_with_intervals(self):
        lines = [line for line in tune(self.cache, *QUICK).stdout.splitlines() if line[0] != "#"]

        self.assertEqual(len(lines), 16)
        for line in lines:
            self.assertRegex(line, r"flat [\d.]+ \[[\d.]+, [\d.]+\]")

    def test_check_writes_nothing_and_counts(self):
        done = tune(self.cache, *QUICK, "--check")

        self.assertIn(done.returncode, (0, 3))
        self.assertRegex(done.stdout, r"# \d+ of 16 choices are within 10 % of the fastest")
        self.assertEqual(tables(self.cache), [])

    def test_a_damaged_table_or_a_pipe_is_named_and_passed_over(self):
        tune(self.cache, *QUICK)
        file = tables(self.cache)[0]
        damaged = file.read_text()[:100]
        for spoil in (lambda: file.write_text(damaged), lambda: os.mkfifo(file)):
            file.unlink()
            spoil()

            line, said = run_line(self.cache, "-g", "2")

            self.assertIn(str(file), said)
            self.assertIn("The built-in table is used.", said)
            self.assertTrue(line["tuning"].startswith("built in"), line["tuning"])

    def test_refuses_what_it_does_not_know(self):
        for words, sentence in ((("cuda",), "Unknown backend to tune 'cuda'"),
                                (("host", "--nranks", "1"), "--nranks"),
                                (("host", "--nranks", "2,x"), "--nranks"),
                                (("host", "--collectives", "sendrecv"), "one of all_reduce"),
                                (("host", "-b", "3"), "at least 4"),
                                (("host", "-b", "1M", "-e", "1K"), "must not be below"),
                                (("host", "-b", "4", "-e", "4", "--collectives", "all_to_all"),
                                 "raise -e/--maxbytes"),
                                (("host", "-e", "64T"), "of memory are free"),
                                (("host", "--check", "--print-rows"), "exclude each other"),
                                (("host", "--speed"), "--speed"), ((), "WHAT")):
            with self.subTest(words=words):
                done = run([tool("linerate"), "tune", *words], XDG_CACHE_HOME=self.cache)

                self.assertEqual(done.returncode, 2)
                self.assertIn(sentence, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_looks_for_a_place_before_it_measures(self):
        file = Path(self.cache) / "file"
        file.touch()
        for cache, sentence in ((str(file), "set XDG_CACHE_HOME"), ("", "HOME")):
            with self.subTest(cache=cache):
                done = run([tool("linerate"), "tune", "host"], XDG_CACHE_HOME=cache, HOME="")

                self.assertEqual(done.returncode, 2)
                self.assertIn(sentence, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_help_is_help(self):
        for words in (("tune", "--help"), ("help", "tune")):
            done = run([tool("linerate"), *words])

            self.assertEqual(done.returncode, 0)
            self.assertIn("--nranks", done.stdout)


if __name__ == "__main__":
    unittest.main()
