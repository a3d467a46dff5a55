#!/usr/bin/env python3
"""linerate report: the files that it writes, and that a page needs nothing but itself."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ET

from report_case import REPORTS, SHORT, Report
from runs import MadeUp, pair_lines


class Files(Report):
    def test_a_page_is_all_that_is_written_unless_asked(self) -> None:
        self.html_of(self.write("run.jsonl", MadeUp(sizes=SHORT).lines()))

        self.assertEqual([path.name for path in self.out.iterdir()], ["report.html"])

    def test_every_format_has_its_files(self) -> None:
        pairs = self.write("pairs.jsonl", pair_lines(4))
        first = self.write("run.jsonl", MadeUp(sizes=SHORT).lines())
        second = self.write("later.jsonl", MadeUp(sizes=SHORT, gbps=9).lines())

        code, stderr = self.report(first, second, pairs, formats="html,md,svg,png")

        self.assertEqual(code, 0, stderr)
        pictures = ("busbw", "latency", "ratio", "pairs")
        written = {f"{name}.{suffix}" for name in pictures for suffix in ("svg", "png")}
        self.assertEqual({path.name for path in self.out.iterdir()},
                         written | {"report.html", "report.md"})
        self.assertEqual({line.rpartition("/")[2] for line in stderr.splitlines()},
                         {path.name for path in self.out.iterdir()})
        for name in pictures:
            self.assertEqual((self.out / f"{name}.png").read_bytes()[:4], b"\x89PNG")
            ET.parse(self.out / f"{name}.svg")

    def test_the_same_run_gives_the_same_bytes(self) -> None:
        run = self.write("run.jsonl", MadeUp(sizes=SHORT).lines())

        first, second = self.html_of(run), self.html_of(run)

        self.assertTrue(first == second)

    def test_as_a_program_it_names_what_it_wrote_on_stderr_only(self) -> None:
        run = self.write("run.jsonl", MadeUp(sizes=SHORT).lines())
        command = [sys.executable, REPORTS / "report.py", "", self.out, "html,md", "", run]

        done = subprocess.run(command, capture_output=True, text=True, check=False)

        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(done.stderr.splitlines(),
                         [str(self.out / "report.html"), str(self.out / "report.md")])

    def test_only_pictures_as_png_need_matplotlib(self) -> None:
        run = self.write("run.jsonl", MadeUp(sizes=SHORT).lines())
        (self.folder / "matplotlib.py").write_text("raise ImportError('No matplotlib here')\n")
        for formats, code, said in (("html,md,svg", 0, "report.html"),
                                    ("html,png", 5, "No matplotlib here. Install it")):
            command = [sys.executable, REPORTS / "report.py", "", self.out, formats, "", run]
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  env={"PYTHONPATH": str(self.folder)})
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(said, done.stderr)


class SelfContained(Report):
    def test_it_loads_nothing(self) -> None:
        page = self.page_of(self.write("run.jsonl", MadeUp(sizes=SHORT).lines()))

        places = [f"#{name}" for name in page.ids]
        self.assertEqual([a for a in page.addresses
                          if not a.startswith("data:") and a not in places], [])

    def test_no_script_runs_but_its_own(self) -> None:
        html = self.html_of(self.write("run.jsonl", MadeUp(sizes=SHORT).lines()))

        self.assertRegex(html, r"default-src 'none'; .* script-src 'sha256-[A-Za-z0-9+/=]{44}'")
        self.assertIsNone(re.search(r"<link|@import|url\(|\son[a-z]+=", html))

    def test_the_policy_is_that_of_the_script(self) -> None:
        html = self.html_of(self.write("run.jsonl", MadeUp(sizes=SHORT).lines()))
        script = html.split("<script>")[1].split("</script>")[0]
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

        self.assertIn(f"'sha256-{digest}'", html)

    def test_the_raw_data_travel_with_it(self) -> None:
        run = self.write("run.jsonl", MadeUp(sizes=SHORT).lines())

        page = self.page_of(run)

        packed = next(a for a in page.addresses if a.startswith("data:")).partition("base64,")[2]
        self.assertEqual(gzip.decompress(base64.b64decode(packed)), run.read_bytes())

    def test_text_of_the_run_is_escaped(self) -> None:
        lines = MadeUp(sizes=SHORT).lines()
        hostile = "</script><script>alert(1)</script>"
        lines[0]["backend"] = hostile
        lines.insert(1, {"kind": "finding", "run_id": "r1", "rule": "x", "subject": hostile})
        for line in lines[2:-1]:
            line["case"]["collective"] = hostile

        html = self.html_of(self.write("run.jsonl", lines), title=hostile)

        self.assertIn("&lt;1 &amp; 2&gt;", html)
        self.assertNotIn("<1 & 2>", html)
        self.assertNotIn(hostile, html)
        self.assertEqual(html.count("</script>"), 2)


if __name__ == "__main__":
    unittest.main()
