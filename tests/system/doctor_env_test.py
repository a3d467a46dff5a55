#!/usr/bin/env python3
"""linerate doctor env: sources, precedence, forms, exit codes; no secret is ever printed."""

from __future__ import annotations

import json

from doctor import DoctorTest
from support import main, tool

BARE = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere"}


class DoctorEnv(DoctorTest):
    words = ("doctor", "env")
    variables = BARE

    def test_says_what_was_seen_why_it_matters_and_what_to_do(self) -> None:
        done = self.doctor(NCCL_BUFFSIZE="4M")
        good = self.doctor(NCCL_SOCKET_IFNAME="eth0")

        self.assertRegex(good.stderr + good.stdout, r"\Anothing looks wrong: 1 variable, read as "
                                                    r"NCCL 2\.30\.7 does, .*\n\Z")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.startswith(
            "problem: misread-value: NCCL_BUFFSIZE=4M (environment)\n"
            "  NCCL reads the number and drops 'M' behind it: it takes 4.\n"
            "  -> set NCCL_BUFFSIZE=4194304\n"), done.stdout)
        self.assertIn("\n1 problem, 0 warnings, 0 notes about 1 variable, ", done.stdout)

    def test_fails_from_the_severity_asked_for_on(self) -> None:
        for name, value, fail_on, code in (
                ("NCCL_P2P_DISABLE", "1", "warning", 3), ("NCCL_P2P_DISABLE", "1", "problem", 0),
                ("NCCL_BUFFSIZE", "4M", "problem", 3), ("NCCL_DEBUG", "INFO", "warning", 0)):
            with self.subTest(name=name, fail_on=fail_on):
                done = self.doctor("--fail-on", fail_on, **{name: value})
                self.assertEqual(done.returncode, code)

    def test_reads_files_instead_of_the_environment_and_names_the_line(self) -> None:
        script = self.file("train.sh", "#!/bin/bash\nexport NCCL_IB_RETRY_CNT=10\n")
        done = self.doctor("--file", script, NCCL_BUFFSIZE="4M")
        others = self.doctor("--file", "-", "--file", "/proc/self/environ",
                             given="FROM a\nENV NCCL_IB_RETRY_CNT 10\n", NCCL_BUFFSIZE="4M")

        self.assertIn(f"NCCL_IB_RETRY_CNT=10 ({script}:2)", done.stdout)
        self.assertNotIn("NCCL_BUFFSIZE", done.stdout)
        self.assertIn("NCCL_IB_RETRY_CNT=10 (stdin:2)", others.stdout)
        self.assertIn("NCCL_BUFFSIZE=4M (/proc/self/environ)", others.stdout)

    def test_the_environment_stands_before_the_conf_of_the_user(self) -> None:
        self.file(".nccl.conf", "NCCL_DEBUG=INFO\nNCCL_IB_RETRY_CNT=10\n")
        done = self.doctor(HOME=str(self.folder), NCCL_DEBUG="WARN")

        self.assertIn(f"NCCL_IB_RETRY_CNT=10 ({self.folder}/.nccl.conf:2)", done.stdout)
        self.assertIn("info: hidden-line: NCCL_DEBUG=INFO ", done.stdout)

    def test_nccl_conf_file_stands_for_the_one_at_home(self) -> None:
        self.file(".nccl.conf", "NCCL_IB_RETRY_CNT=10\n")
        other = self.file("other.conf", "NCCL_IB_TIMEOUT=99\n")
        new = self.doctor(HOME=str(self.folder), NCCL_CONF_FILE=other)
        old = self.doctor("--nccl", "2.22", HOME=str(self.folder), NCCL_CONF_FILE=other)

        self.assertIn("NCCL_IB_TIMEOUT=99", new.stdout)
        self.assertNotIn("RETRY_CNT", new.stdout)
        self.assertIn("too-new: NCCL_CONF_FILE=", old.stdout)
        self.assertNotIn("NCCL_IB_", old.stdout)  # before 2.30.3 the home is not that of HOME

    def test_prints_json(self) -> None:
        told = json.loads(self.doctor("--json", "--nccl", "2.21.5", NCCL_BUFFSIZE="4M").stdout)
        finding = told["findings"][0]
        self.assertEqual((told["kind"], told["nccl_version"], told["variables"], finding["rule"],
                          finding["severity"]),
                         ("doctor_env", "2.21.5", 1, "misread-value", "problem"))

    def test_prints_no_value_of_other_variables(self) -> None:
        script = self.file("a.env", "API_TOKEN=hunter2\nNCCL_TOKEN=hunter2\nNCCL_DEBGU=hunter2\n"
                                    "ssh n1 'NCCL_DEBUG=INFO API_TOKEN=hunter2 ./a'\n"
                                    "apptainer exec --env NCCL_DEBUG=INFO,API_TOKEN=hunter2 img\n")
        for done in (self.doctor("--file", script), self.doctor("--json", "--file", script),
                     self.doctor(API_TOKEN="hunter2", NCCL_TOKEN="hunter2")):
            self.assertNotIn("hunter2", done.stdout + done.stderr)
            self.assertIn("NCCL_TOKEN", done.stdout)
            self.assertNotIn("API_TOKEN", done.stdout)

    def test_counts_each_variable_once_and_names_an_open_quote(self) -> None:
        given = "export NCCL_NET=IB\nNCCL_NET=IB ./a\necho it's\n"
        done = self.doctor("--file", "-", given=given)
        line = self.doctor("--file", "-", "--format", "nccl.conf", given="export NCCL_NET=IB\n")
        self.assertIn("nothing looks wrong: 1 variable, ", done.stdout)
        self.assertIn("stdin:3: a quote is not closed", done.stderr)
        self.assertIn("notes about 1 variable, ", line.stdout)

    def test_refuses_what_it_cannot_read_in_one_line(self) -> None:
        broken = ["--file", self.file("a.yaml", "a: [1\n")]
        binary = ["--file", tool("linerate")]
        for words in (broken, binary, ["/nowhere"], ["--format", "yaml"], ["--more"]):
            with self.subTest(words=words):
                done = self.doctor(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    main()
