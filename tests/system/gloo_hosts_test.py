"""Gloo between two hosts, without MPI: auto takes it there, and a dead host is noticed."""

import re
import shutil
import tempfile
import time
import unittest
from pathlib import Path

from hosts import env_job, hosts, needs_hosts
from support import json_lines, main, needs_module, rows, tool

SWEEP = ["-b", "8", "-e", "64K", "-f", "8", "-n", "5"]
LONG = ["-b", "4M", "-e", "4M", "-n", "50", "-N", "0"]  # without end
NOTICED_S = 5.0  # by keep-alive probes
ENDED_S = 10.0  # on a busy machine


def setUpModule() -> None:
    needs_module("gloo")
    needs_hosts()


class TwoHosts(unittest.TestCase):
    def test_auto_takes_gloo_between_hosts(self):
        with hosts(2) as both, tempfile.TemporaryDirectory() as folder:
            jsonl = Path(folder) / "run.jsonl"
            jobs = env_job(both, 29521, tool("all_reduce_perf"), *SWEEP, "-t", "2", "--jsonl",
                           str(jsonl))
            (out, err), (quiet, other_err) = (job.communicate(timeout=60) for job in jobs)
            self.assertEqual([job.returncode for job in jobs], [0, 0], err + other_err)
            self.assertEqual(quiet, "")
            self.assertIn("note: backend gloo, because the ranks run on 2 hosts", err)
            self.assertEqual({row.out_of_place[3] + row.in_place[3] for row in rows(out)}, {"00"})
            self.assertEqual(len(rows(out)), 5, out)
            self.assertEqual(re.findall(r"Rank +\d+ .* on +(\S+) device", out),
                             ["host1", "host1", "host2", "host2"])
            run, result = json_lines(jsonl)[:2]
            self.assertEqual((run["nranks"], run["nnodes"], run["backend"]), (4, 2, "gloo"))
            self.assertRegex(result["transport"], r"^TCP on lr\d+e1$")

    def test_a_host_that_dies_is_noticed_and_its_rank_named(self):
        with hosts(2) as both, tempfile.TemporaryDirectory() as folder:
            jsonl = Path(folder) / "run.jsonl"
            first, second = env_job(both, 29522, tool("all_reduce_perf"), *LONG, "--jsonl",
                                    str(jsonl))
            try:
                end = time.monotonic() + 60
                while not jsonl.exists() or len(json_lines(jsonl)) < 3:
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.05)
                both[1].cut_off()
                _, err = first.communicate(timeout=NOTICED_S + ENDED_S)
            finally:
                first.kill()
                second.kill()
                second.communicate()
            self.assertEqual(first.returncode, 4, err)
            self.assertRegex(err, r"rank 1 \(host2, pid \d+\) cannot be reached any more")

    def test_without_the_module_it_says_how_to_get_it(self):
        with hosts(2) as both, tempfile.TemporaryDirectory() as folder:
            elsewhere = Path(folder) / "all_reduce_perf"
            shutil.copy(tool("linerate"), elsewhere)
            for job in env_job(both, 29523, str(elsewhere), *SWEEP):
                _, err = job.communicate(timeout=60)
                self.assertEqual(job.returncode, 5, err)
                self.assertIn("The gloo backend is not here", err)
                self.assertIn("apt install libgloo0", err)


if __name__ == "__main__":
    main()
