"""The scripts of docs/gates.md, with a linerate that looks at a snapshot of a node."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import environment, main, tool

PAGE = Path(__file__).parents[2] / "docs" / "gates.md"
GIB = 1 << 30


def scripts() -> dict[str, str]:
    """By the path that the page gives them."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.S)
    named = {match[1]: block for block in blocks
             if (match := re.search(r"(/etc/\S+)", block.split("export")[0]))}
    assert {"/etc/slurm/linerate-prolog", "/etc/nhc/scripts/linerate.nhc"} <= set(named)
    return named


class Gates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.said = self.folder / "said"
        self.program("logger", f'cat >> "{self.said}"')

    def program(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def node(self, shm_bytes: int) -> None:
        """A linerate on a node with so much shared memory."""
        snapshot = self.folder / "node.json"
        snapshot.write_text(json.dumps({"kind": "snapshot", "schema": 1, "node": "a",
                                        "facts": {"size /dev/shm": str(shm_bytes)}}))
        self.program("linerate", f'exec {tool("linerate")} "$@" --snapshot {snapshot}')

    def run_script(self, text: str) -> int:
        path = f"{self.folder}:{os.environ['PATH']}"
        text = re.sub(r"(?m)^export PATH=.*$", f"export PATH={path}", text)
        return subprocess.run(["bash", "-c", text], timeout=60, check=False,
                              env=environment(PATH=path)).returncode

    def test_the_prolog_drains_a_node_with_a_problem_and_says_which(self):
        prolog = scripts()["/etc/slurm/linerate-prolog"]

        self.node(64 << 20)
        self.assertEqual(self.run_script(prolog), 1)
        self.assertIn("problem: shm-size: /dev/shm", self.said.read_text())

        self.node(64 * GIB)
        self.assertEqual(self.run_script(prolog), 0)

    def test_the_prolog_lets_a_node_be_that_linerate_is_not_on(self):
        self.program("linerate", "exit 127")
        self.assertEqual(self.run_script(scripts()["/etc/slurm/linerate-prolog"]), 0)

    def test_the_check_of_nhc_dies_with_the_problem(self):
        check = scripts()["/etc/nhc/scripts/linerate.nhc"]
        ask = f'die() {{ echo "$2" > "{self.said}"; }}\n{check}\ncheck_linerate'

        self.node(64 << 20)
        self.assertEqual(self.run_script(ask), 1)
        self.assertIn("check_linerate: problem: shm-size: /dev/shm", self.said.read_text())

        self.node(64 * GIB)
        self.assertEqual(self.run_script(ask), 0)


if __name__ == "__main__":
    main()
