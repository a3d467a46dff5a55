"""A page of linerate report whose script runs: in jsdom, a browser's document without a window."""

from __future__ import annotations

import json
import os
import subprocess
import unittest
from functools import cache
from pathlib import Path
from typing import Any

from report_case import Report, judged
from runs import MadeUp

RUNNER = Path(__file__).with_name("page_dom.js")
# Debian's modules are found by its own node only.
ENVIRONMENT = os.environ | {"NODE_PATH": "/usr/share/nodejs"}
RESULTS = "#results table"
HEADS = f"{RESULTS} thead tr:last-child button"


@cache
def has_dom() -> bool:
    try:
        done = subprocess.run(["node", "-e", "require('jsdom')"], env=ENVIRONMENT,
                              capture_output=True, check=False, timeout=60)
    except OSError:
        return False
    return done.returncode == 0


@unittest.skipUnless(has_dom(), "no node with jsdom here: make deps-full installs node-jsdom")
class Script(Report):
    def seen(self, paths: list[Path], *actions: list[Any]) -> list[Any]:
        """What each action yields on the page of these runs."""
        self.html_of(*paths)
        done = subprocess.run(["node", RUNNER, self.out / "report.html"], capture_output=True,
                              env=ENVIRONMENT, input=json.dumps(actions), text=True, check=False,
                              timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["errors"], [])
        return answer["seen"]

    def run_of(self, name: str = "run", **made: Any) -> Path:
        return self.write(f"{name}.jsonl", judged(MadeUp(**made).lines()))
