"""--watch-health: what moves on a node while a run lasts, in the table and in the files."""

import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from hosts import hosts, needs_hosts, rsh_agent
from hosts_test import mpirun_across
from support import environment, json_lines, main, needs, run, tool

PORT = "class/infiniband/mlx5_0/ports/1/counters"
SMALL = ["-b", "1K", "-e", "4K", "-f", "2", "-n", "3", "-t", "2", "--watch-health"]


def errors_of(job: subprocess.Popen) -> str:
    return "" if job.poll() is None else job.stderr.read()


class WatchHealth(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.jsonl = Path(folder.name), Path(folder.name) / "run.jsonl"
        (self.folder / PORT).mkdir(parents=True)
        self.count(0)

    def count(self, errors: int) -> None:
        (self.folder / PORT / "symbol_error").write_text(f"{errors}\n")

    def kinds(self, kind: str) -> list[dict]:
        return [line for line in json_lines(self.jsonl) if line["kind"] == kind]

    def disturbed(self, *words: str) -> str:
        """What a run printed during which a counter moved, and which Ctrl-C ended then."""
        command = [*words, "--watch-health", "--jsonl", str(self.jsonl)]
        with subprocess.Popen(command, env=environment(LINERATE_SYSFS=str(self.folder)), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as job:
            until = time.monotonic() + 60
            while not (self.jsonl.exists() and self.jsonl.read_text().endswith("\n")):
                self.assertIsNone(job.poll(), errors_of(job))
                self.assertLess(time.monotonic(), until)
                time.sleep(0.02)
            self.count(12)
            job.send_signal(signal.SIGINT)
            printed, errors = job.communicate(timeout=60)
        self.assertEqual(job.returncode, 130, errors)
        return printed

    def assert_told(self, printed: str) -> None:
        self.assertRegex(printed, r"(?m)^# health: node \S+: mlx5_0 port 1: symbol_error \+12 "
                                  r"\(0 before\); look at cable")
        (health,), found = self.kinds("health"), self.kinds("finding")
        self.assertIn({"subject": "mlx5_0 port 1", "what": "symbol_error", "before": 0,
                       "after": 12}, health["values"])
        self.assertGreaterEqual(health["samples"], 2)
        self.assertEqual(health["counters"], 1)
        self.assertEqual({health["run_id"]}, {line["run_id"] for line in self.kinds("run")})
        told = [line for line in found if line["rule"] == "health"]
        self.assertEqual([line["severity"] for line in told], ["warning"])

    def test_tells_a_counter_that_moved(self) -> None:
        self.assert_told(self.disturbed(tool("all_reduce_perf"), *SMALL[:-1], "-N", "0"))

    def test_tells_it_of_pairs_of_ranks(self) -> None:
        self.assert_told(self.disturbed(tool("p2p_perf"), "-t", "2", "-e", "64M", "-n", "1000"))

    def test_tells_it_of_copies(self) -> None:
        self.assert_told(self.disturbed(tool("memcpy_perf"), "--backend", "host", "-b", "64M",
                                        "-n", "1000"))

    def test_tells_it_of_a_training(self) -> None:
        self.assert_told(self.disturbed(tool("train_ddp"), "-t", "2", "--steps", "100000"))

    def test_says_in_a_line_that_nothing_moved(self) -> None:
        done = run([tool("all_reduce_perf"), *SMALL, "--jsonl", str(self.jsonl)],
                   LINERATE_SYSFS=str(self.folder))

        self.assertEqual((done.returncode, done.stderr.count("health")), (0, 0))
        lines = [line for line in done.stdout.splitlines() if line.startswith("# health: ")]
        self.assertRegex(lines[0], r"^# health: nothing moved: 1 counter and 0 GPUs of 1 node, \d+ "
                                   r"samples$")
        self.assertIn("cpufreq is not there", lines[1])
        self.assertEqual((len(lines), len(self.kinds("health"))), (2, 1))

    def test_says_nothing_without_the_option(self) -> None:
        done = run([tool("all_reduce_perf"), *SMALL[:-1], "--jsonl", str(self.jsonl)],
                   LINERATE_SYSFS=str(self.folder))

        self.assertNotIn("health", done.stdout)
        self.assertEqual(self.kinds("health"), [])

    def test_a_run_that_fails_tells_of_its_first_node(self) -> None:
        done = run([tool("all_reduce_perf"), *SMALL, "-T", "1", "--jsonl", str(self.jsonl),
                    "--backend", "fake", "--fake", "die=1:4"])

        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(self.kinds("health")), 1, done.stderr)

    def test_watches_each_node(self) -> None:
        needs_hosts()
        needs("mpirun")
        with hosts(2) as both:
            words = [tool("all_reduce_perf"), "-b", "1K", "-e", "1K", "--watch-health", "--jsonl",
                     str(self.jsonl)]
            command = mpirun_across(rsh_agent(self.folder, both[0]), both, *words)
            done = subprocess.run(both[0].command(*command), capture_output=True, text=True,
                                  timeout=120, env=environment(), check=False)

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(line["node"], line["hostname"]) for line in self.kinds("health")],
                         [(0, "host1"), (1, "host2")])
        self.assertIn("of 2 nodes", done.stdout)


if __name__ == "__main__":
    main()
