"""The reports as pip installs them, without linerate."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from report_case import Report
from runs import MadeUp
from support import main, run, tool

ROOT = Path(__file__).resolve().parents[2]


class Pip(Report):
    def test_installs_a_program_that_makes_the_page(self):
        source, venv = self.folder / "reports", self.folder / "venv"
        shutil.copytree(ROOT / "reports", source, ignore=shutil.ignore_patterns("__pycache__"))
        self.command(sys.executable, "-m", "venv", "--system-site-packages", str(venv))
        self.command(str(venv / "bin/pip"), "install", "--quiet", "--no-index", "--no-deps",
                     "--no-build-isolation", str(source))
        runs = self.write("a.jsonl", MadeUp(sizes=(8, 1024)).lines())
        program = str(venv / "bin/linerate-report")

        self.command(program, str(runs), "-o", str(self.out), "--format", "html,svg")

        self.assertIn("<!doctype html>", (self.out / "report.html").read_text().lower())
        self.assertTrue((self.out / "busbw.svg").exists())
        refused = subprocess.run([program, str(runs), "--format", "pdf"], capture_output=True,
                                 text=True, timeout=60, check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("choose one of html, md", refused.stderr)

    def test_has_the_version_of_linerate(self):
        version = re.search(r'version = "(.*)"', (ROOT / "reports/pyproject.toml").read_text())
        self.assertTrue(run([tool("linerate"), "version"]).stdout.startswith(
            f"linerate {version[1]}"))

    def command(self, *words: str) -> None:
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    main()
