#!/usr/bin/env python3
"""linerate doctor prove: a real difference, an equal pair, what is refused, Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import time

from doctor import DoctorTest
from support import environment, main, run, tool

PROVE = [tool("linerate"), "doctor", "prove"]
SIZE = ["-b", "256K", "-e", "256K", "--stop", "max=0.05s"]


def prove(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return run([*PROVE, *words], **variables)


class DoctorProve(DoctorTest):
    def fake_gpus(self, count: int) -> str:
        """A /sys with so many GPUs of NVIDIA's on its PCI bus."""
        for number in range(count):
            device = self.folder / "sys" / "bus" / "pci" / "devices" / f"0000:0{number}:00.0"
            device.mkdir(parents=True)
            (device / "vendor").write_text("0x10de\n")
            (device / "class").write_text("0x030200\n")
        return str(self.folder / "sys")

    def test_proves_that_a_slow_algorithm_costs_speed(self) -> None:
        done = prove("host-algorithm", "--a", "ring", "--repeat", "8", "--", *SIZE)

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\n# options: --algo ring | unset\n", done.stdout)
        self.assertIn("\nproven: no --algo is faster than --algo ring\n  -> leave --algo out\n",
                      done.stdout)

    def test_refutes_where_the_switch_makes_it_slower(self) -> None:
        done = prove("host-algorithm", "--repeat", "8", "--json", "--", *SIZE)

        told = json.loads(done.stdout)
        self.assertEqual((done.returncode, told["verdict"]), (0, "refuted"), told)
        self.assertEqual((told["a"], told["b"]), ("no --algo", "--algo ring"))
        self.assertEqual({case["verdict"] for case in told["comparison"]["cases"]}, {"SLOWER"})

    def test_refutes_where_both_sides_are_equal(self) -> None:
        table = self.file("table.txt", run([tool("all_reduce_perf"), *SIZE, "-t", "2"]).stdout)

        done = prove("p2p", "--repeat", "5", "--", "cat", table)
        told = json.loads(prove("p2p", "--repeat", "1", "--json", "--", "cat", table,
                                NCCL_P2P_DISABLE="1").stdout)

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\nrefuted: NCCL_P2P_DISABLE=1 is not faster than NCCL_P2P_DISABLE unset\n",
                      done.stdout)
        self.assertIn(f"\n# B: env NCCL_P2P_DISABLE=1 cat {table}\n", done.stdout)
        self.assertEqual((told["a"], told["b"], told["verdict"]),
                         ("NCCL_P2P_DISABLE=1", "NCCL_P2P_DISABLE unset", "not decided"))

    def test_does_not_trust_runs_that_never_read_the_setting(self) -> None:
        done = prove("p2p", "--repeat", "1", "--", tool("all_reduce_perf"), *SIZE, "-t", "2",
                     "--backend", "host")

        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("It ran over the host backend, and NCCL_P2P_DISABLE is read by nccl alone.",
                      done.stderr)

    def test_a_line_of_nccl_conf_cannot_be_switched_off(self) -> None:
        conf = self.file("nccl.conf", "NCCL_P2P_DISABLE=1\n")

        done = prove("p2p", NCCL_CONF_FILE=conf)

        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("nccl.conf:1 sets NCCL_P2P_DISABLE, which no run can take back", done.stderr)

    def test_refuses_in_one_line(self) -> None:
        for words, why in ((["p2q"], "Did you mean 'p2p'?"), ([], "takes one ID"),
                           (["p2p", "shm"], "takes one ID"), (["interface"], "needs --a or --b"),
                           (["p2p"], "needs two GPUs, and there are none here"),
                           (["host-algorithm", "--", "--backend", "gloo"], "read by the host"),
                           (["host-algorithm", "--", "-Q"], "Unknown option"),
                           (["p2p", "--b", "unset"], "both have"),
                           (["p2p", "--smallest", "0"], "--smallest")):
            with self.subTest(words=words):
                done = prove(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(why, done.stderr)
        done = prove("shm", LINERATE_SYSFS=self.fake_gpus(1))
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is one here", done.stderr)

    def test_lists_what_it_can_prove(self) -> None:
        done = prove("--list")

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("\nnuma: ", done.stdout)
        self.assertIn("\n  suggested by disabled-by-setting, ", done.stdout)

    def test_ctrl_c_ends_it_with_what_there_is(self) -> None:
        keep = self.folder / "kept"
        started = subprocess.Popen(
            [*PROVE, "host-algorithm", "--repeat", "100", "--keep", str(keep), "--", *SIZE],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        while len(list(keep.glob("*.jsonl"))) < 2:
            time.sleep(0.1)
        started.send_signal(signal.SIGINT)
        out, errors = started.communicate(timeout=60)

        self.assertEqual(started.returncode, 130, errors)
        self.assertRegex(out, r"\n(not decided|refuted): ")


if __name__ == "__main__":
    main()
