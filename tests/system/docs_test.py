"""Every command block of the docs is run, or says why not."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BIN, environment

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"(?:<!-- (?P<mark>.*?) -->\n)?```sh\n(?P<text>.*?)```", re.S)
# Blocks without a mark: where they are covered instead.
COVERED = {
    "make run": "the continuous integration runs both targets",
    "export PATH": "the environment of the blocks that follow",
    "mpirun -np": "launch_test.py and hosts_test.py",
    "#!/bin/bash": "slurm_test.py",
}
LIMIT_S = 200


def blocks() -> list[tuple[str, str, str]]:
    found = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for match in BLOCK.finditer(page.read_text()):
            found.append((page.name, match["mark"] or "", match["text"]))
    return found


class CommandBlocks(unittest.TestCase):
    def test_marked_blocks_run(self):
        ran = 0
        for page, mark, text in blocks():
            if mark != "run":
                continue
            with self.subTest(page=page, block=text.splitlines()[0]), \
                    tempfile.TemporaryDirectory() as folder:
                path = {"PATH": f"{BIN}:{environment()['PATH']}"}
                done = subprocess.run(["bash", "-euc", text], cwd=folder, capture_output=True,
                                      text=True, timeout=LIMIT_S, env=environment(**path),
                                      stdin=subprocess.DEVNULL, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                ran += 1
        self.assertGreater(ran, 4)

    def test_other_blocks_say_why_they_are_not_run(self):
        for page, mark, text in blocks():
            if mark == "run" or mark:
                continue
            with self.subTest(page=page, block=text):
                self.assertTrue(any(text.lstrip().startswith(start) for start in COVERED), text)


if __name__ == "__main__":
    unittest.main()
