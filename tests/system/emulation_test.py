"""Emulated networks: right data in the network's time, in threads and processes."""

import tempfile
import unittest
from pathlib import Path

from support import json_lines, main, run, tool

NETWORK = """\
nodes: 4
ranks_per_node: 2
nic: {bandwidth: 1 GB/s, latency: 5 us}
dilation: 20
"""


class Emulated(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, more: str = "", text: str = NETWORK) -> str:
        path = self.folder / "network.yaml"
        path.write_text(text + more)
        return str(path)

    def lines(self, *words: str, more: str = "") -> list[dict]:
        """Of a run whose data are right."""
        results = self.folder / "run.jsonl"
        results.unlink(missing_ok=True)
        done = run([tool(words[0]), *words[1:], "--emulate", self.file(more), "-n", "5",
                    "--jsonl", str(results)])
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json_lines(results)
        self.assertEqual({line.get("wrong", 0) for line in found}, {0})
        return found

    def time_us(self, *words: str, more: str = "", of: str = "time_us") -> float:
        return min(line["window"][of] for line in self.lines(*words, more=more) if "window" in line)


class Results(Emulated):
    def test_say_what_was_emulated(self):
        for launch in (("-t", "8"), ("--nprocs", "4", "-t", "2"), ("--nprocs", "8")):
            with self.subTest(launch=launch):
                lines = self.lines("all_reduce_perf", *launch, "-b", "8", "-e", "64K", "-f", "16")

                self.assertRegex(lines[0]["emulated"],
                                 "/network.yaml, 4 nodes x 2 ranks, time dilated 20 times$")
                self.assertEqual(lines[0]["nnodes"], 4)
                self.assertEqual([rank["hostname"] for rank in lines[0]["ranks"]],
                                 [f"node{rank // 2}" for rank in range(8)])
                self.assertIn("emulated network", lines[1]["transport"])

    def test_every_collective_is_right_and_charged(self):
        for name in ("all_gather", "reduce_scatter", "broadcast", "reduce", "alltoall",
                     "alltoallv", "gather", "scatter", "sendrecv", "hypercube", "p2p"):
            for launch in (("-t", "4"), ("--nprocs", "4")):
                with self.subTest(name=name, launch=launch):
                    step = () if name == "p2p" else ("-f", "32")
                    lines = self.lines(f"{name}_perf", *launch, "-b", "64", "-e", "64K", *step)

                    longest = max(line["window"]["time_us"] for line in lines if "window" in line)
                    self.assertGreater(longest, 20, "its bytes take that long on the network")

    def test_algorithms_see_the_nodes(self):
        lines = self.lines("all_reduce_perf", "-t", "8", "-b", "64K", "-e", "64K",
                           "--algo", "hierarchical")

        self.assertEqual(lines[1]["algorithm"], "hierarchical")

    def test_split_ranks_share_the_network(self):
        results = self.folder / "run.jsonl"
        done = run([tool("all_reduce_perf"), "--emulate", self.file(), "-t", "8", "-b", "64K", "-e",
                    "64K", "-n", "5", "--jsonl", str(results)], NCCL_TESTS_SPLIT="MOD2")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({line["nnodes"] for line in json_lines(results) if "case" in line}, {4})


class Slow(Emulated):
    RING = ("all_reduce_perf", "-t", "8", "-b", "256K", "-e", "256K", "--algo", "ring")

    def test_one_slow_link_slows_the_ring(self):
        healthy = self.time_us(*self.RING)
        slow = self.time_us(*self.RING, more="slow: {link: node3.nic.up, factor: 8}\n")
        self.assertGreater(slow, 3 * healthy)

    def test_one_slow_rank_is_waited_for(self):
        small = ("all_reduce_perf", "-t", "8", "-b", "8", "-e", "8")
        healthy = self.time_us(*small)
        late = "slow: {rank: 5, delay_us: 2000}\n"
        # time_us is the ranks' mean, and one without a core begins to count late.
        self.assertGreater(self.time_us(*small, more=late, of="slowest_us"), 2000)
        self.assertGreater(self.time_us(*small, more=late), healthy + 1000)


class Refusals(Emulated):
    def refusal(self, path: str, *words: str) -> str:
        done = run([tool("all_reduce_perf"), "--emulate", path, "-b", "8", "-e", "8", *words])
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_are_one_sentence_and_exit_2(self):
        self.assertIn("/none.yaml': No such file", self.refusal(str(self.folder / "none.yaml")))
        self.assertIn("is a directory", self.refusal(str(self.folder)))
        self.assertIn("line 5: Unknown key of the network 'nodse': choose one of nodes, ",
                      self.refusal(self.file("nodse: 3\n")))
        self.assertIn("line 1: it is not YAML", self.refusal(self.file(text="a: [\0}")))
        self.assertIn("4 nodes x 2 ranks have no place for 9 ranks",
                      self.refusal(self.file(), "-t", "9"))
        self.assertIn("no place for 9 ranks", self.refusal(self.file(), "--nprocs", "9"))
        self.assertIn("--emulate is for the host backend, not for 'fake'",
                      self.refusal(self.file(), "--backend", "fake"))


if __name__ == "__main__":
    main()
