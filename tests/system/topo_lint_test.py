#!/usr/bin/env python3
"""linerate topo --lint: its exit codes and forms, of one machine, several files and clusters."""

from __future__ import annotations

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from provider_file import PLACES
from support import main, run, tool

TOPO = [tool("linerate"), "topo"]
ROOT = Path(__file__).parents[2]


class Lint(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.healthy = self.folder / "node05.xml"
        run([*TOPO, "--platform", "dgx-h100", "--export-nccl", str(self.healthy)])
        slow = self.healthy.read_text().replace('name="mlx5_6" dev="6" speed="400000"',
                                                'name="mlx5_6" dev="6" speed="200000"')
        self.slow = self.folder / "node07.xml"
        self.slow.write_text(slow)

    def lint(self, *words: str) -> subprocess.CompletedProcess[str]:
        done = run([*TOPO, "--lint", *words])
        self.assertEqual(done.stderr, "")
        return done

    def test_ends_with_3_from_a_warning_on(self) -> None:
        done = self.lint("--nccl-xml", str(self.slow))

        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stdout, r"^slower-port: mlx5_6 at \S+: The port runs at 200 Gb/s")

    def test_ends_with_0_where_there_is_information_alone(self) -> None:
        self.slow.write_text(PLACES)

        done = self.lint("--nccl-xml", str(self.slow))

        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^info: unknown-port-speed: net0 at ")
        self.assertIn("\nnothing looks wrong, as far as could be seen\n", done.stdout)

    def test_has_its_findings_as_json(self) -> None:
        done = self.lint("--json", "--nccl-xml", str(self.slow))

        told = json.loads(done.stdout)
        self.assertEqual((done.returncode, told["kind"]), (3, "lint"))
        self.assertEqual([(f["rule"], f["severity"]) for f in told["findings"]],
                         [("slower-port", "warning")])

    def test_of_several_files_names_the_one_unlike_the_others(self) -> None:
        done = self.lint("--nccl-xml", str(self.healthy), str(self.healthy), str(self.slow))

        self.assertEqual(done.returncode, 3)
        self.assertIn(f"unlike-node: {self.slow}: NIC ports: 1 x 200 Gb/s, 7 x 400 Gb/s; 2 of 3 "
                      "nodes have 8 x 400 Gb/s.", done.stdout)
        self.assertIn(f"{self.slow}: slower-port: mlx5_6", done.stdout)

    def test_of_a_cluster_compares_its_nodes(self) -> None:
        cluster = self.folder / "cluster.yaml"
        cluster.write_text("nodes:\n- {file: node05.xml, count: 3}\n- {file: node07.xml}\n")

        done = self.lint("--cluster", str(cluster))

        self.assertEqual(done.returncode, 3)
        self.assertIn("unlike-node: node 3 (node07.xml): NIC ports: ", done.stdout)

    def test_several_files_are_for_it_alone(self) -> None:
        done = run([*TOPO, "--matrix", "--nccl-xml", str(self.healthy), str(self.slow)])

        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--nccl-xml names 2 files, and one is shown", done.stderr)

    def test_platforms_are_in_the_documentation(self) -> None:
        page = (ROOT / "docs" / "topology.md").read_text()
        listed = run([*TOPO, "--list-platforms"]).stdout.splitlines()
        self.assertGreater(len(listed), 14)
        for line in listed:
            self.assertIn(f"`{line.split()[0]}`", page)


if __name__ == "__main__":
    main()
