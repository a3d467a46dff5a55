"""What the programs say of themselves: help, version, and the run that --dry-run describes."""

import tempfile
import unittest
from pathlib import Path

from support import run, tool


def facts(*command: str, **variables: str) -> dict[str, str]:
    """The lines of --dry-run by their first word."""
    done = run([*command, "--dry-run"], **variables)
    assert done.returncode == 0, done.stderr
    return dict(line.split(None, 1) for line in done.stdout.splitlines())


class DryRun(unittest.TestCase):
    def test_says_what_would_run_in_full(self):
        said = facts(tool("reduce_perf"), "-b", "8", "-e", "1K", "-f", "2", "-t", "4", "-d", "half",
                     "-o", "all", "-r", "all", "--nprocs", "2", "-n", "5",
                     NCCL_TESTS_SPLIT="MOD2")

        self.assertEqual(said["collective"].split(":")[0], "reduce")
        self.assertEqual(said["launcher"], "nprocs")
        self.assertEqual(said["backend"], "host (no MPI launcher started this process)")
        self.assertEqual(said["ranks"], "8: 2 processes x 4 threads x 1 rank")
        self.assertEqual(said["groups"], "2 groups: 0 of 4 ranks, 1 of 4 ranks")
        self.assertEqual(said["sizes"], "8 from 8 B to 1 KiB, each 2 times the one before")
        self.assertEqual(said["types"], "half")
        self.assertEqual(said["operators"], "sum, prod, max, min, avg, mulsum")
        self.assertEqual(said["roots"], "all")
        self.assertEqual(said["cases"], "192, each out of place and in place")
        self.assertEqual(said["iterations"],
                         "5 iterations, 1 untimed before, 1 round of verification")
        self.assertEqual(said["options"],
                         "NCCL_TESTS_SPLIT=MOD2, -b 8, -e 1K, -f 2, -t 4, -d half, -o all, -r all, "
                         "--nprocs 2, -n 5")
        self.assertEqual(said["files"], "none")

    def test_counts_one_of_a_kind_as_one(self):
        said = facts(tool("all_reduce_perf"), "-n", "1")

        self.assertEqual(said["ranks"], "1: 1 process x 1 thread x 1 rank")
        self.assertEqual(said["sizes"], "32 MiB")
        self.assertTrue(said["iterations"].startswith("1 iteration, "), said["iterations"])
        self.assertEqual(facts(tool("all_reduce_perf"))["options"], "the defaults")

    def test_says_what_several_hosts_would_change(self):
        said = facts(tool("all_reduce_perf"), RANK="0", WORLD_SIZE="2", MASTER_ADDR="10.0.0.1")

        self.assertEqual(said["backend"],
                         "host (no MPI launcher started this process); gloo on several hosts")

    def test_names_the_files_and_leaves_them_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [str(Path(folder) / name) for name in ("a.jsonl", "b.csv", "c.json")]
            said = facts(tool("all_reduce_perf"), "--jsonl", files[0], "--csv", files[1],
                         "-J", files[2])

            for file in files:
                self.assertIn(file, said["files"])
            self.assertEqual(list(Path(folder).iterdir()), [])

    def test_says_the_sizes_of_pairs(self):
        said = facts(tool("p2p_perf"), "-t", "3", "-e", "1M")

        self.assertEqual(said["pairs"], "3, one after the other")
        self.assertEqual(said["sizes"], "latency 8 B, bandwidth 1 MiB")


class Words(unittest.TestCase):
    def test_help_and_version_in_every_spelling(self):
        for words, beginning in ((["version"], "linerate 0."), (["--version"], "linerate 0."),
                                 (["info"], "linerate 0."), (["info", "-h"], "usage:   linerate i"),
                                 (["help", "perf"], "usage:   linerate perf TOOL"),
                                 (["docs", "--help"], "usage:   linerate docs WHAT"),
                                 (["help", "all_reduce_perf"], "usage:   all_reduce_perf"),
                                 (["topo", "-h"], "usage:   linerate topo [options]"),
                                 (["help", "topo", "place"], "usage:   linerate topo place"),
                                 (["help", "tune", "host"], "usage:   linerate tune"),
                                 (["help", "doctor"], "usage:   linerate doctor [WHAT]"),
                                 (["help", "doctor", "env"], "usage:   linerate doctor env"),
                                 (["help", "doctor", "log"], "usage:   linerate doctor log"),
                                 (["help", "doctor", "hang"], "usage:   linerate doctor hang"),
                                 (["help", "doctor", "prove"], "usage:   linerate doctor prove"),
                                 (["help", "doctor", "results"],
                                  "usage:   linerate doctor results"),
                                 (["help", "report"], "usage:   linerate report"),
                                 (["all_reduce", "-h", "--foo"], "usage:   all_reduce_perf")):
            with self.subTest(words=words):
                done = run([tool("linerate"), *words])
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(done.stdout.startswith(beginning), done.stdout[:80])

    def test_words_that_mean_nothing_are_exit_2_and_one_line(self):
        for words in (["docs", "foo"], ["docs", "cli", "extra"], ["help", "foo"], ["--help", "x"],
                      ["--version", "extra"], ["version", "extra"], ["doctor", "enf"],
                      ["doctor", "--only", "shm"], ["doctor", "snapshot"]):
            with self.subTest(words=words):
                done = run([tool("linerate"), *words])
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
