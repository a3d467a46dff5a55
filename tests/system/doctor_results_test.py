#!/usr/bin/env python3
"""linerate doctor results: files and stdin, linerate's own output, named hardware, exit codes."""

from __future__ import annotations

import json
import subprocess

from doctor import DoctorTest
from support import main, tool

SIZES = [8 << shift for shift in range(25)]


def table(slow: int = 0, wrong: int = 0, times: float = 1) -> str:
    """all_reduce on eight GPUs of a host; `slow` is a size, `times` how slow all are."""
    text = ("# Collective test starting: all_reduce_perf\n"
            f"# nThread 1 nGpus 8 minBytes 8 maxBytes {SIZES[-1]} step: 2(factor)\n")
    text += "".join(f"#  Rank {i} Group 0 Pid 7 on node1 device {i} [0000:18:00] NVIDIA H100\n"
                    for i in range(8))
    text += "# out-of-place in-place\n# size count type redop root" + 2 * " time algbw busbw #wrong"
    total = 0.0
    for size in SIZES:
        us = times * (25 + size * 1.75 / 360e3) * (6 if size == slow else 1)
        algbw = size / us / 1e3
        total += algbw * 1.75
        half = f"  {us:.2f}  {algbw:.2f}  {algbw * 1.75:.2f}  "
        text += f"\n  {size}  {size // 4}  float  sum  -1{half}0{half}{wrong}"
    return text + f"\n# Avg bus bandwidth    : {total / len(SIZES):g}\n"


class DoctorResults(DoctorTest):
    words = ("doctor", "results")

    def rules(self, *words: str, given: str = "") -> list[str]:
        told = json.loads(self.doctor("--json", *words, given=given).stdout)
        return [finding["rule"] for finding in told["findings"] if finding["severity"] != "info"]

    def test_finds_nothing_in_a_healthy_table(self) -> None:
        done = self.doctor("--fail-on", "warning", "-", given=table())

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("stdin: all_reduce of float, 8 ranks on 1 host, 8 B to 128 MiB, 50 results",
                      done.stdout)
        self.assertIn("\nnothing looks wrong: 1 note about 1 run\n", done.stdout)

    def test_names_wrong_data_before_slow_sizes_in_each_file(self) -> None:
        files = [self.file("a", table(slow=1 << 20)), self.file("b", table(wrong=2))]

        self.assertEqual(self.rules(*files), ["wrong-data", "slow-sizes"])

    def test_fails_from_the_severity_asked_for_on(self) -> None:
        slow = table(slow=4096)
        for text, fail_on, code in ((table(wrong=1), "problem", 3), (slow, "problem", 0),
                                    (slow, "warning", 3)):
            with self.subTest(fail_on=fail_on, code=code):
                done = self.doctor("-", "--fail-on", fail_on, given=text)
                self.assertEqual(done.returncode, code)

    def test_holds_results_against_named_hardware(self) -> None:
        words = ["--platform", "dgx-h100", "--nodes", "1", "--nccl", "2.27"]

        self.assertEqual(self.rules("-", *words, given=table()), [])
        self.assertEqual(self.rules("-", *words, given=table(times=5)), ["below-expected"])
        done = self.doctor("-", "--platform", "dgx-h100", given=table(times=5))
        self.assertRegex(done.stdout, r"\n +134217728  in place .*  low\n")

    def test_finds_nothing_in_our_own_output(self) -> None:
        for words in (["--jsonl", "out"], ["-J", "out.json"], []):
            run = [tool("all_reduce_perf"), "--backend", "fake", "-g", "4", "-b", "8", "-e", "1M",
                   "-f", "2", *words]
            done = subprocess.run(run, capture_output=True, text=True, timeout=120, check=False,
                                  cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            file = str(self.folder / words[1]) if words else self.file("table", done.stdout)
            self.assertEqual(self.rules(file), [], words)

    def test_says_why_a_job_has_no_result(self) -> None:
        line = "n1: Test CUDA failure common.cu:9 'no device'\n"
        done = self.doctor("-", given="# nThread 1\n" + line)

        self.assertIn("problem: failed-run: stdin\n  It holds no result: 'n1: Test", done.stdout)

    def test_refuses_what_it_cannot_read_in_one_line(self) -> None:
        for words in (["/nowhere"], [str(self.folder)], [], ["-", "-"], ["-"],
                      ["-", "--nodes", "2"], ["-", "--platform", "dgx"],
                      ["-", "--platform", "dgx-h100", "--nccl", "1"]):
            with self.subTest(words=words):
                done = self.doctor(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    main()
