#!/usr/bin/env python3
"""linerate topo --svg: nothing in a picture lies on anything else; who draws it, and if not."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from machine_json import Machine, hostile_machine, mesh, random_machine, worn_machine
from support import main, run, tool
from svg_page import Box, Page, Picture, page_of, platform, smaller

LINERATE = tool("linerate")


class Tidy(unittest.TestCase):
    def assert_tidy(self, page: Page) -> None:
        named = [(text, smaller(box, 1.5)) for text, box in page.texts]
        for boxes in ([(look, smaller(box, 0.5)) for look, box in page.shapes], named):
            for at, (name, box) in enumerate(boxes):
                self.assertTrue(is_within(box, page.canvas), f"{name} leaves the picture")
                hit = [other for other, taken in boxes[:at] if box.overlaps(taken)]
                self.assertEqual(hit, [], f"{name} lies on them")
        for text, box in named:
            for look, shape in page.shapes:
                inside = shape.x - 1 <= box.x and box.right <= shape.right + 1
                self.assertTrue(inside or not box.overlaps(shape), f"{text} leaves its {look}")

    def test_pictures_of_all_platforms(self) -> None:
        listed = run([LINERATE, "topo", "--list-platforms"]).stdout.splitlines()
        self.assertGreaterEqual(len(listed), 10)
        for name in (line.split()[0] for line in listed):
            with self.subTest(name):
                page = page_of(platform(name))
                self.assert_tidy(page)
                self.assertEqual([text for text in page.words if "…" in text], [])

    def test_pictures_of_random_machines_show_each_device_once(self) -> None:
        for seed in range(60):
            with self.subTest(seed):
                machine = random_machine(seed)
                page = page_of(machine)
                self.assert_tidy(page)
                for node in machine["nodes"]:
                    self.assertEqual(page.words.count(node["name"]), 1, node["name"])

    def test_pictures_of_odd_machines(self) -> None:
        for topology in (worn_machine(), mesh(8), hostile_machine("w" * 60), Machine().json,
                         hostile_machine("<a>&\"'\\\n\x1b[31m\ufffd")):
            with self.subTest(topology["name"]):
                self.assert_tidy(page_of(topology))


def is_within(box: Box, canvas: Box) -> bool:
    return box.x >= 0 and box.y >= 0 and box.right <= canvas.right and box.bottom <= canvas.bottom


class Program(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.picture = Path(folder.name) / "x.svg"

    def draw(self, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([LINERATE, "topo", "--platform", "gb200-nvl72", "--svg",
                               str(self.picture)], env={**os.environ, **environment}, text=True,
                              capture_output=True, check=False)

    def test_writes_the_picture_that_python_draws(self) -> None:
        done = self.draw()

        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        drawn = Picture(platform("gb200-nvl72")).document()
        self.assertEqual(self.picture.read_text(encoding="utf-8"), drawn)

    def test_without_python_it_says_so(self) -> None:
        done = self.draw(PYTHON="/no/python3")

        self.assertEqual(done.returncode, 5)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("Cannot start /no/python3: No such file or directory. Set PYTHON to a "
                      "Python 3", done.stderr)
        self.assertFalse(self.picture.exists())

    def test_with_a_python_that_fails_it_says_so(self) -> None:
        done = self.draw(PYTHON="/bin/false")

        self.assertEqual(done.returncode, 5)
        self.assertIn("/bin/false", done.stderr)
        self.assertFalse(self.picture.exists())

    def test_other_input_of_the_script_is_refused(self) -> None:
        from topology import main as draw
        for text in ("", "{}", "[]", '{"kind": "topology"}', "\x00"):
            with self.subTest(text), contextlib.redirect_stderr(io.StringIO()) as stderr:
                stdin, sys.stdin = sys.stdin, io.StringIO(text)
                self.assertEqual(draw(), 2)
                sys.stdin = stdin
                self.assertEqual(stderr.getvalue().count("\n"), 1)


if __name__ == "__main__":
    main()
