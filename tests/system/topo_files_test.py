#!/usr/bin/env python3
"""linerate topo: topology files as pipes, and completed by a platform."""

from __future__ import annotations

import subprocess
import tempfile
import unittest

from provider_file import PLACES
from support import main, run, tool

TOPO = [tool("linerate"), "topo"]


class Files(unittest.TestCase):
    def shell(self, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["bash", "-c", command, TOPO[0]], text=True, capture_output=True,
                              check=False)

    def test_may_be_pipes(self) -> None:
        done = self.shell('"$0" topo --lint --nccl-xml <("$0" topo --platform dgx-a100 '
                          "--export-nccl /dev/stdout)")

        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_as_pipes_have_the_limit_of_files(self) -> None:
        done = self.shell('"$0" topo --nccl-xml <(head -c 9M /dev/zero)')

        self.assertEqual(done.returncode, 2)
        self.assertIn("at most 8 MiB are read", done.stderr)

    def test_of_a_provider_are_completed_by_a_platform(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(PLACES)
            file.flush()
            words = [*TOPO, "--nccl-xml", file.name, "--platform", "gh200"]
            done = run([*words, "--nodes", "2", "--predict", "all_reduce", "-b", "1G", "-e", "1G"])
            other = run([*words[:-1], "dgx-h100"])

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("not seen", done.stdout)
        self.assertEqual(other.returncode, 2)
        self.assertIn("has 1 GPU, and dgx-h100 has 8 GPUs", other.stderr)


if __name__ == "__main__":
    main()
