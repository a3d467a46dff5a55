#!/usr/bin/env python3
"""linerate doctor log: files and stdin, the root cause first, JSON, exit codes."""

from __future__ import annotations

import gzip
import json
import subprocess

from doctor import DoctorTest
from support import main, tool

HEALTHY = "".join(
    f"n{rank}:1{rank}:2{rank} [0] NCCL INFO ncclCommInitRank comm 0x1 rank {rank} nranks 2 "
    f"cudaDev 0 nvmlDev 0 busId 1000 commId 0xa - Init {state}\n"
    for state in ("START", "COMPLETE") for rank in (0, 1))
CLOSED = ("n0:10:20 [0] misc/socket.cc:49 NCCL WARN socketProgress: "
          "Connection closed by remote peer n1<9>\n")
FULL = "n1:11:21 [0] misc/shmutils.cc:7 NCCL WARN Call to posix_fallocate failed : No space left\n"


class DoctorLog(DoctorTest):
    words = ("doctor", "log")

    def test_finds_no_fault_in_a_healthy_log(self) -> None:
        done = self.doctor("--fail-on", "warning", "-", given=HEALTHY)

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("2 of 2 seen, 2 initialised, on 2 hosts (n0: 0; n1: 1)", done.stdout)
        self.assertTrue(done.stdout.endswith("\nno fault found\n"), done.stdout)

    def test_names_the_cause_in_the_log_of_another_rank(self) -> None:
        done = self.doctor(self.file("rank0", HEALTHY + CLOSED), self.file("rank1", FULL))

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("problem: shared-memory-full: rank 1 (n1)\n", done.stdout)
        self.assertIn("followed by: peer-closed (rank 0 (n0))", done.stdout)
        self.assertIn("\n1 problem\nmore on a finding: ", done.stdout)

    def test_fails_from_the_severity_asked_for_on(self) -> None:
        slow = HEALTHY + "n0:10:20 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1.\n"
        for log, fail_on, code in ((FULL, "problem", 3), (FULL, "warning", 3),
                                   (slow, "problem", 0), (slow, "warning", 3)):
            with self.subTest(log=log, fail_on=fail_on):
                self.assertEqual(self.doctor("-", "--fail-on", fail_on, given=log).returncode, code)

    def test_prints_json(self) -> None:
        told = json.loads(self.doctor("--json", "-", given=HEALTHY + FULL).stdout)

        self.assertEqual((told["kind"], told["schema"], told["nranks"]), ("doctor_log", 1, 2))
        self.assertEqual([(f["rule"], f["severity"]) for f in told["findings"]],
                         [("shared-memory-full", "problem")])

    def test_reads_a_stream_of_any_bytes(self) -> None:
        done = subprocess.run([tool("linerate"), *self.words, "-"], capture_output=True,
                              timeout=60, check=False,
                              input=bytes(range(256)) * 40_000 + b"\n" + FULL.encode())

        self.assertIn(b"problem: shared-memory-full", done.stdout)

    def test_reads_a_file_once_that_is_named_twice(self) -> None:
        log = self.file("log", HEALTHY)
        (self.folder / "latest").symlink_to(log)

        done = self.doctor(log, log, str(self.folder / "latest"))

        self.assertIn("4 lines, 4 messages of NCCL, 1 file\n", done.stdout)

    def test_says_what_makes_text_of_a_file(self) -> None:
        packed, wide, program, weights = (self.folder / name for name in "guew")
        packed.write_bytes(gzip.compress(FULL.encode()))
        wide.write_text(FULL, encoding="utf-16")
        program.write_bytes(b"\x7fELF\x02\n" + FULL.encode())
        weights.write_bytes(b"ERROR: no\n" + bytes(range(256)) * 40)
        for path, words in ((packed, "'zcat FILE | linerate doctor log -'"),
                            (wide, "'iconv -f UTF-16 FILE | linerate doctor log -'"),
                            (program, "(ELF), and no text"), (weights, ": it is no text")):
            with self.subTest(path=path):
                done = self.doctor(str(path))
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(words, done.stderr)

    def test_refuses_what_it_cannot_read_in_one_line(self) -> None:
        for words in (["/nowhere"], [str(self.folder)], [], ["-", "-"], [""], ["/dev/zero"], ["-"],
                      [self.file("empty", "")], [self.file("core", "\0ELF\0")]):
            with self.subTest(words=words):
                done = self.doctor(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    main()
