"""The NCCL_TESTS_ variables: groups, the bandwidth asked for, devices, alltoallv's traffic."""

import re
import tempfile
import unittest
from pathlib import Path

from support import json_lines, main, rows, run, tool

SHORT = ["-b", "1K", "-e", "1K", "-n", "3"]


class Split(unittest.TestCase):
    def groups(self, *command: str, **variables: str) -> dict[int, int]:
        """Ranks of each group as the JSON Lines have them."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.jsonl"
            done = run([tool("all_reduce_perf"), *SHORT, *command, "--jsonl", str(path)],
                       **variables)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(rows(done.stdout)), 1, done.stdout)
            return {line["group"]: line["nranks"] for line in json_lines(path)
                    if line["kind"] == "result"}

    def test_colours_by_operator_and_value(self):
        cases = {"MOD2": {0: 2, 1: 2}, "DIV 3": {0: 3, 1: 1}, "%3": {0: 2, 1: 1, 2: 1},
                 "AND0x1": {0: 2, 1: 2}, "|0b10": {2: 2, 3: 2}}
        for text, expected in cases.items():
            with self.subTest(split=text):
                self.assertEqual(self.groups("-t", "4", NCCL_TESTS_SPLIT=text), expected)

    def test_mask_is_and(self):
        self.assertEqual(self.groups("-t", "4", NCCL_TESTS_SPLIT_MASK="0x1"), {0: 2, 1: 2})

    def test_groups_of_processes(self):
        self.assertEqual(self.groups("--nprocs", "4", NCCL_TESTS_SPLIT="DIV2"), {0: 2, 1: 2})

    def test_nonsense_is_refused(self):
        for text in ("MOD0", "DIV0", "XOR2", "MOD", "2"):
            with self.subTest(split=text):
                done = run([tool("all_reduce_perf"), *SHORT, "-t", "4"], NCCL_TESTS_SPLIT=text)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("NCCL_TESTS_SPLIT", done.stderr)


class MinimumBandwidth(unittest.TestCase):
    def test_met_is_ok_and_missed_is_exit_3(self):
        for wanted, word, code in (("0.000001", "OK", 0), ("1000000", "FAILED", 3)):
            with self.subTest(wanted=wanted):
                done = run([tool("all_reduce_perf"), *SHORT, "-t", "2"], NCCL_TESTS_MIN_BW=wanted)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertRegex(done.stdout, rf"# Avg bus bandwidth    : \S+ {word}\n")


class Device(unittest.TestCase):
    def devices(self, *command: str, **variables: str) -> list[int]:
        done = run([tool("all_reduce_perf"), *SHORT, *command], **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [int(n) for n in re.findall(r"#  Rank .* device +(\d+) ", done.stdout)]

    def test_counts_from_0_on_a_host(self):
        self.assertEqual(self.devices("--nprocs", "2", "-t", "2"), [0, 1, 2, 3])

    def test_counts_from_the_variable_in_each_process(self):
        self.assertEqual(self.devices("--nprocs", "2", "-t", "2", NCCL_TESTS_DEVICE="5"),
                         [5, 6, 5, 6])


class AllToAllV(unittest.TestCase):
    def test_a_matrix_and_its_summary(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as matrix:
            matrix.write("0 4096\n1024 0\n")
            matrix.flush()
            done = run([tool("alltoallv_perf"), "-b", "4096", "-e", "4096", "-t", "2"],
                       NCCL_TESTS_ALLTOALLV_MATRIX_FILE=matrix.name,
                       NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY="1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(rows(done.stdout)), 1)
        self.assertIn("rank=0 send_bytes=4096 recv_bytes=1024 alg_bw=", done.stdout)
        self.assertIn("rank=1 send_bytes=1024 recv_bytes=4096 alg_bw=", done.stdout)


class Misspelt(unittest.TestCase):
    def test_one_note_for_all_ranks(self):
        done = run([tool("all_reduce_perf"), *SHORT, "--nprocs", "2"], NCCL_TESTS_SPLITT="MOD2")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("NCCL_TESTS_SPLITT is no variable of linerate"), 1)
        self.assertIn("did you mean NCCL_TESTS_SPLIT?", done.stderr)


if __name__ == "__main__":
    main()
