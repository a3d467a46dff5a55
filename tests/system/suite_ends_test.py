"""How a suite ends: exit codes, Ctrl-C, a rank that dies, repeats, and what is refused."""

import json
import os
import re
import signal
import time
import unittest

from job import Job, kill, rank_pids
from suites import SMALL, SuiteCase, suite, summary, tables
from support import json_lines, main, rows, run


class Ends(SuiteCase):
    def job(self, *words: str) -> Job:
        return Job(self.folder, suite(*words))

    def test_ends_with_the_worst_code(self):
        words = ["--backend", "fake", "-t", "2", *SMALL, "--collectives", "all_reduce,all_gather"]
        wrong = run(suite(*words, "--fake", "flip=1:6"))
        self.assertEqual(wrong.returncode, 1, wrong.stderr)
        self.assertIn("wrong data", " ".join(summary(wrong.stdout)["all_reduce"]))
        self.assertNotIn("wrong data", " ".join(summary(wrong.stdout)["all_gather"]))
        slow = run(suite(*words, "--fake", "slow_rank=1:900us", "--fail-below", "0.9"))
        self.assertEqual(slow.returncode, 3, slow.stderr)

    def test_ctrl_c_keeps_what_was_measured(self):
        job = self.job("-t", "2", "-b", "1K", "-e", "1M", "-f", "2", "-n", "20",
                       "--collectives", "all_reduce,all_gather", "-N", "5000")
        job.wait_for_rows(3)
        job.process.send_signal(signal.SIGINT)
        code, _ = job.end(20)
        self.assertEqual(code, 130, job.err.read_text())
        runs = [line for line in json_lines(job.jsonl) if line["kind"] == "run"]
        self.assertEqual([line["program"] for line in runs], ["all_reduce_perf"])
        self.assertEqual(summary(job.out.read_text())["all_reduce"][-1], "interrupted")

    def test_names_the_collective_in_which_a_rank_died(self):
        job = self.job("--nprocs", "3", "-b", "1K", "-e", "1M", "-f", "2", "-n", "20",
                       "--collectives", "reduce,all_gather", "-N", "40")
        self.wait_for_run(job, 2)
        kill(rank_pids(job.out)[2])
        code, _ = job.end(30)
        said = job.err.read_text()
        self.assertEqual(code, 4, said)
        self.assertIn("the suite ended in all_gather_perf, run 2 of 2", said)
        ends = [line for line in json_lines(job.jsonl) if line["kind"] == "end"]
        self.assertEqual([line["exit_code"] for line in ends], [0, 4])
        self.assertEqual(summary(job.out.read_text())["all_gather"][-1], "failed")

    def reports(self, *names: str) -> dict[str, dict]:
        return {name: json.loads((self.folder / f"r.{name}.json").read_text()) for name in names}

    def test_reports_tell_which_runs_never_began(self):
        chosen = ("reduce", "all_gather", "gather")
        for how, code, word in ((signal.SIGINT, 130, "interrupted"), (signal.SIGKILL, 4, "rank 1")):
            with self.subTest(how=how):
                job = self.job("--nprocs", "2", "-b", "1K", "-e", "1M", "-f", "2", "-n", "20", "-N",
                               "5000", "--collectives", ",".join(chosen), "-J",
                               str(self.folder / "r.json"))
                job.wait_for_rows(3)
                os.kill(rank_pids(job.out)[1], how)
                self.assertEqual(job.end(30)[0], code, job.err.read_text())
                reports = self.reports(*chosen)
                self.assertIn(word, reports["reduce"]["errors"][0])
                self.assertGreater(len(reports["reduce"]["results"]), 2)
                for name in chosen[1:]:
                    self.assertEqual(reports[name]["errors"],
                                     ["The run never began: the suite ended before it."])
                    self.assertEqual(reports[name]["results"], [])
                for name in chosen:
                    (self.folder / f"r.{name}.json").unlink()

    def wait_for_run(self, job: Job, number: int) -> None:
        while len(re.findall("^# nccl-tests", job.out.read_text(), re.M)) < number:
            self.assertIsNone(job.process.poll(), job.err.read_text())
            time.sleep(0.01)
        job.wait_for_rows(1)


class Repeats(SuiteCase):
    def test_have_a_table_of_medians_for_each_collective(self):
        chosen = ["reduce", "gather"]
        done = run(suite(*SMALL, "-t", "2", "--collectives", ",".join(chosen), "--repeat", "3",
                         "--jsonl", str(self.jsonl)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([len(rows(table)) for table in tables(done.stdout)], [3, 3])
        self.assertEqual(done.stdout.count("# Repeated: 3 runs"), 2)
        self.assertEqual(len(tables(done.stderr)), 6)
        starts = self.lines("run")
        self.assertEqual([line["repeat"] for line in starts], [1, 1, 2, 2, 3, 3])
        self.assertEqual(len({line["study"] for line in starts}), 1)
        self.assertEqual(len({line["ranks"][0]["pid"] for line in starts}), 3)


class Refusals(unittest.TestCase):
    def test_come_before_anything_connects(self):
        for words, part in ((["--collectives", "all_reduc"], "Did you mean 'all_reduce'?"),
                            (["-b", "1M", "-e", "1K"], "is above -e"),
                            (["--pairs"], "at least 2 ranks"),
                            (["-t", "2", "-r", "2"], "is none of the 2 ranks"),
                            (["--jsonl", "/no/such/folder/x"], "Cannot write")):
            with self.subTest(words=words):
                done = run(suite(*words))
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(part, done.stderr)


if __name__ == "__main__":
    main()
