#!/usr/bin/env python3
"""linerate doctor: this node, snapshots, several nodes, exit codes, wrong inputs."""

from __future__ import annotations

import json
from pathlib import Path

from doctor import DoctorTest
from support import main


class DoctorNode(DoctorTest):
    def snapshot(self, node: str, **facts: str) -> str:
        path = self.folder / f"{node}.json"
        path.write_text(json.dumps({"kind": "snapshot", "schema": 1, "node": node,
                                    "facts": {"size /dev/shm": "8589934592"} | facts}))
        return str(path)

    def test_this_node_says_what_ran_and_what_could_not(self) -> None:
        done = self.doctor()

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\d+ checks on 1 node, \d+ could not run\n")
        self.assertRegex(done.stdout, r"(?m)^(could not run|does not apply): ")
        if not Path("/sys/class/infiniband").exists():
            self.assertNotIn("could not run: topology: No InfiniBand", done.stdout)

    def test_a_snapshot_of_this_node_is_examined_like_it(self) -> None:
        file = str(self.folder / "node.json")
        done = self.doctor("snapshot", "-o", file)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

        only = ("--json", "--only", "shm-size,hostname,cpu-quota")
        here, there = self.doctor(*only), self.doctor(*only, "--snapshot", file)

        self.assertEqual(json.loads(here.stdout), json.loads(there.stdout))

    def test_finds_a_small_shm_and_fails_from_the_severity_on(self) -> None:
        small = self.snapshot("a", **{"size /dev/shm": "67108864"})
        for words, code in ((), 0), (("--fail-on", "problem"), 3), (("--skip", "shm-size"), 0):
            done = self.doctor("--snapshot", small, *words)
            self.assertEqual(done.returncode, code)
        self.assertIn("problem: shm-size: /dev/shm\n  It holds 64 MiB",
                      self.doctor("--snapshot", small).stdout)

    def test_a_healthy_node_fits_a_few_lines(self) -> None:
        done = self.doctor("--snapshot", self.snapshot("a"),
                           "--only", "shm-size,hostname,slow-clock")

        self.assertEqual(done.stdout, "could not run: slow-clock: /sys/devices/system/clocksource/"
                                      "clocksource0/current_clocksource is not there or not "
                                      "readable\nnothing looks wrong: 0 notes, 2 checks on 1 node, "
                                      "1 could not run\n")

    def test_names_the_odd_one_of_a_folder(self) -> None:
        for number in range(9):
            self.snapshot(f"node{number}", **{"/proc/sys/kernel/osrelease":
                                              "6.8" if number == 4 else "6.1"})

        done = self.doctor("--snapshot", str(self.folder), "--fail-on", "warning")

        self.assertEqual(done.returncode, 3)
        self.assertIn("warning: unlike-node: node4\n  kernel: '6.8', and '6.1' on 8 other nodes",
                      done.stdout)
        self.assertIn(" on 9 nodes, ", done.stdout)

    def test_tells_alike_findings_of_several_nodes_once(self) -> None:
        for number in range(9):
            self.snapshot(f"node{number}", **{"size /dev/shm": "67108864"})

        done = self.doctor("--snapshot", str(self.folder))

        self.assertEqual(done.stdout.count("problem: shm-size"), 1)
        self.assertIn("problem: shm-size: node0, node1, node2, node3, node4 and 4 more: /dev/shm",
                      done.stdout)
        self.assertTrue(done.stdout.splitlines()[-2].startswith("1 problem, 0 warnings, 0 notes"))

    def test_explains_and_lists(self) -> None:
        self.assertIn("what to do: ulimit -l unlimited", self.doctor("--explain", "memlock").stdout)
        self.assertIn("docs/doctor/far-nic.md", self.doctor("--explain", "far-nic").stdout)
        self.assertIn("\ndegraded-link ", self.doctor("--list").stdout)

    def test_takes_other_thresholds(self) -> None:
        limits = self.folder / "limits.yaml"
        limits.write_text("shm_bytes: 17179869184\n")

        done = self.doctor("--snapshot", self.snapshot("a"), "--thresholds", str(limits))

        self.assertIn("warning: shm-size: ", done.stdout)

    def test_refuses_what_it_cannot_use_in_one_line(self) -> None:
        broken = self.folder / "broken.json"
        broken.write_text("{}")
        empty = self.folder / "empty"
        empty.mkdir()
        for words in (["--snapshot", "/nowhere"], ["--snapshot", str(broken)], ["--only", "shm"],
                      ["--snapshot", str(empty)], ["--explain", "nothing"], ["--explain", ""],
                      ["--fail-on", "info"], ["--thresholds", str(broken.parent)], ["snapshot"],
                      ["snapshot", "-o", "/proc/nowhere/file"]):
            with self.subTest(words=words):
                done = self.doctor(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    main()
