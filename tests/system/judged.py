"""Runs on the fake backend and on an emulated network, and what they said of themselves."""

import re
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

from support import json_lines, run, tool

SMALL = ("-b", "32K", "-e", "256K", "-f", "8", "-n", "3", "-w", "1")
NETWORK = """\
nodes: 4
ranks_per_node: 2
nic: {bandwidth: 10 GB/s, latency: 4 us}
local: {bandwidth: 40 GB/s, latency: 1 us}
rack: {nodes: 2, bandwidth: 10 GB/s, latency: 2 us}
dilation: 60
"""


def subjects_of_what_is_slow(findings: list[dict]) -> list[str]:
    return [finding["subject"] for finding in findings
            if finding["rule"] in ("slow_component", "slow_node")]


@dataclass(frozen=True)
class Judged:
    """What a run said."""

    code: int
    text: str  # of the table and what lies below it
    results: list[dict]
    findings: list[dict]
    end: dict

    def verdicts(self) -> set[str]:
        return {result.get("verdict", "none") for result in self.results}

    def slow(self) -> list[str]:
        return subjects_of_what_is_slow(self.findings)

    def summary(self) -> str:
        return "".join(re.findall("^# Verdict .*$", self.text, re.MULTILINE))


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def judged(self, name: str, *words: str, **environment: str) -> Judged:
        record = self.folder / "run.jsonl"
        record.unlink(missing_ok=True)
        done = run([tool(name), "-t", "8", *words, "--jsonl", str(record)], **environment)
        lines = json_lines(record) if record.exists() else []
        results = [line for line in lines if line["kind"] == "result"]
        self.assertTrue(results, done.stderr)
        findings = [line for line in lines if line["kind"] == "finding"]
        self.assertEqual({finding["run_id"] for finding in findings} - {lines[0]["run_id"]}, set())
        return Judged(done.returncode, done.stdout, results, findings, lines[-1])

    def fake(self, *words: str, faults: str = "", seed: int = 1, name: str = "all_reduce_perf",
             **environment: str) -> Judged:
        return self.judged(name, *(words or SMALL), "--backend", "fake", "--fake",
                           f"noise=2%,seed={seed}{faults and ','}{faults}", **environment)

    def emulated(self, *words: str, slow: str = "", name: str = "all_reduce_perf",
                 **environment: str) -> Judged:
        path = self.folder / "network.yaml"
        path.write_text(NETWORK + (f"slow: {{{slow}}}\n" if slow else ""))
        return self.judged(name, *(words or SMALL), "--emulate", str(path), **environment)

    def assert_healthy(self, judged: Judged):
        self.assertEqual(judged.verdicts(), {"ok"}, judged.summary())
        self.assertEqual((judged.findings, judged.end["verdict"]), ([], "ok"))
        self.assertEqual(judged.code, 0)

    def assert_named(self, judged: Judged, name: str):
        self.assertIn("low", judged.verdicts(), judged.summary())
        self.assertEqual(judged.end["verdict"], "low")
        self.assertEqual(judged.slow()[:1], [name], judged.summary())
        self.assertIn(f"; {name} is slow: ", judged.summary())
