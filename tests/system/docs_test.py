"""Every command block of the docs is run, or says why not."""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BIN, environment, json_lines, main, run, tool

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

    def test_the_page_on_rules_shows_a_rule_and_its_test_as_they_are(self):
        page = (ROOT / "docs" / "add-a-rule.md").read_text()
        rule, test = re.findall(r"```cpp\n(.*?)```", page, re.S)
        self.assertEqual(rule, (ROOT / "src" / "diagnose" / "above_bound.cc").read_text())
        self.assertIn(test, (ROOT / "tests" / "unit" / "diagnose" / "rules_test.cc").read_text())


def keys_of(value: object, skip: frozenset[str]) -> set[str]:
    """Every key at any depth, but not inside those of `skip`, whose keys are free."""
    if isinstance(value, list):
        return set().union(*(keys_of(item, skip) for item in value))
    if not isinstance(value, dict):
        return set()
    below = (keys_of(item, skip) for key, item in value.items() if key not in skip)
    return set(value).union(*below)


class JsonLinesKeys(unittest.TestCase):
    def check_documented(self, *command: str, finds: bool = False) -> None:
        page = (ROOT / "docs" / "output-format.md").read_text()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.jsonl"
            done = run([*command, "--jsonl", str(path)])
            self.assertIn(done.returncode, (0, 1), done.stderr)
            lines = json_lines(path)
        kinds = {line["kind"] for line in lines}
        self.assertLessEqual({"run", "result", "end"} | ({"finding"} if finds else set()), kinds)
        for key in keys_of(lines, frozenset({"settings", "memory_bytes"})):
            self.assertIn(f"`{key}`", page)

    def test_every_key_of_a_checked_run_is_in_the_docs(self):
        self.check_documented(tool("all_reduce_perf"), "-b", "1K", "-e", "1K", "-t", "2", "-M", "1",
                              "-C", "1", "-I", "1", "-K", "1", "--samples", "--backend", "fake",
                              "--fake", "flip=1")

    def test_every_key_of_a_run_with_findings_is_in_the_docs(self):
        self.check_documented(tool("all_reduce_perf"), "-b", "1K", "-e", "1K", "-t", "4",
                              "--backend", "fake", "--fake", "slow_rank=2:40us", finds=True)

    def test_every_key_of_a_wide_run_is_in_the_docs(self):
        self.check_documented(tool("all_reduce_perf"), "-b", "1K", "-e", "1K", "-t", "65",
                              "-n", "5", "--backend", "fake", "--fake", "flip=1")

    def test_every_key_of_a_judged_run_is_in_the_docs(self):
        self.check_documented(tool("all_reduce_perf"), "-b", "1K", "-e", "1K", "-t", "2",
                              "--backend", "host")

    def test_every_key_of_pairs_is_in_the_docs(self):
        self.check_documented(tool("p2p_perf"), "-b", "8", "-e", "1K", "-t", "2")

    def test_every_key_of_copies_is_in_the_docs(self):
        self.check_documented(tool("memcpy_perf"), "--backend", "host", "-b", "1M", "-n", "3")


class Topology(unittest.TestCase):
    def test_every_key_of_its_json_is_in_the_docs(self):
        page = (ROOT / "docs" / "output-format.md").read_text()
        for view in ([], ["--predict", "all_reduce"]):
            done = run([tool("linerate"), "topo", "--platform", "dgx-h100", "--json", *view])
            self.assertEqual(done.returncode, 0, done.stderr)
            for key in keys_of(json.loads(done.stdout), frozenset({"gpu", "ports"})):
                self.assertIn(f"`{key}`", page)


if __name__ == "__main__":
    main()
