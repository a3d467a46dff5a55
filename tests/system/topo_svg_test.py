#!/usr/bin/env python3
"""linerate topo --svg: pictures read again, what is in them, and that nothing lies on another."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

from machine_json import Json, Machine, hostile_machine, mesh, random_machine, worn_machine
from support import main, run, tool

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "reports"))

from svg import Box, Line  # noqa: E402
from topology import Picture  # noqa: E402

SHAPES = ("cpu", "switch", "gpu", "nic", "down", "nvswitch")
BOX = ("x", "y", "width", "height")
SVG = "{http://www.w3.org/2000/svg}"
LINERATE = tool("linerate")


class Page:
    """Where a picture's shapes and texts are, texts as wide as its own measure says."""

    def __init__(self, text: str) -> None:
        self.root = ET.fromstring(text)
        self.canvas = Box(0, 0, float(self.root.get("width")), float(self.root.get("height")))
        self.shapes = [(r.get("class"), Box(*(float(r.get(key)) for key in BOX)))
                       for r in self.root.iter(f"{SVG}rect") if r.get("class") in SHAPES]
        self.texts = [(t.text, _text_box(t)) for t in self.root.iter(f"{SVG}text")]
        self.words = [text for text, _ in self.texts]

    def links(self, look: str) -> list[str]:
        return [p.get("d") for p in self.root.iter(f"{SVG}path") if p.get("class") == look]


def _text_box(text: ET.Element) -> Box:
    style = "alert" if "alert" in text.get("class") else text.get("class").split()[0]
    line, x, y = Line(text.text or "", style), float(text.get("x")), float(text.get("y"))
    x -= {"start": 0, "middle": line.width / 2, "end": line.width}[text.get("text-anchor")]
    height = line.height / 1.3
    return Box(x, y - 0.76 * height, line.width, height)


def _smaller(box: Box, by: float) -> Box:
    return Box(box.x + by, box.y + by, box.w - 2 * by, box.h - 2 * by)


def page_of(topology: Json) -> Page:
    return Page(Picture(topology).document())


def platform(name: str) -> Json:
    return json.loads(run([LINERATE, "topo", "--platform", name, "--json"]).stdout)


class Tidy(unittest.TestCase):
    def assert_tidy(self, page: Page) -> None:
        named = [(text, _smaller(box, 1.5)) for text, box in page.texts]
        for boxes in ([(look, _smaller(box, 0.5)) for look, box in page.shapes], named):
            for at, (name, box) in enumerate(boxes):
                self.assertTrue(_is_within(box, page.canvas), f"{name} leaves the picture")
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


def _is_within(box: Box, canvas: Box) -> bool:
    return box.x >= 0 and box.y >= 0 and box.right <= canvas.right and box.bottom <= canvas.bottom


class Content(unittest.TestCase):
    def test_each_gpu_has_a_line_to_the_nvswitches(self) -> None:
        page = page_of(platform("dgx-h100"))

        self.assertEqual(len(page.links("link nvl")), 8 + 1, "and one in the legend")
        self.assertEqual(page.words.count("371 GB/s"), 8)
        self.assertIn("4 NVSwitches: 18 NVLinks, 371 GB/s from each of GPU0-GPU7", page.words)

    def test_each_pair_of_gpus_has_an_arc(self) -> None:
        page = page_of(mesh(4))

        self.assertEqual(sum(" C " in path for path in page.links("link nvl")), 6)
        self.assertEqual(page.words.count("124 GB/s"), 6)

    def test_labels_of_arcs_avoid_what_is_drawn_already(self) -> None:
        alone, crowded = Picture(mesh(4)), Picture(mesh(4))
        lowest = max((box for text, box in Page(alone.document()).texts if text == "124 GB/s"),
                     key=lambda box: box.y)
        crowded.sketch.taken.append(lowest)

        labels = [box for text, box in Page(crowded.document()).texts if text == "124 GB/s"]

        self.assertEqual(len(labels), 6)
        self.assertFalse(any(_smaller(box, 0.5).overlaps(lowest) for box in labels))

    def test_degraded_links_are_dashed_in_red(self) -> None:
        page = page_of(worn_machine())

        self.assertEqual(len(page.links("link pci bad")), 1 + 1, "and one in the legend")
        self.assertEqual(len(page.links("link nvl bad")), 1)
        for text in ("12 of", "48 GB/s", "17 of 18", "degraded: below what both ends can do"):
            self.assertIn(text, page.words)
        self.assertEqual([look for look, _ in page.shapes].count("down"), 1)
        self.assertIn("place not known", page.words)

    def test_the_legend_explains_only_what_is_there(self) -> None:
        page = page_of(platform("pcie-8xl40s"))

        self.assertIn("PCI Express", page.words)
        self.assertIn("between processors", page.words)
        self.assertNotIn("NVLink", page.words)

    def test_hosts_that_look_alike_are_drawn_once(self) -> None:
        rack = platform("gb200-nvl72")

        alike = page_of(rack)
        rack["cpus"][11]["devices"].pop()
        different = page_of(rack)

        self.assertIn("18 hosts alike: h0-h17, one of them drawn", alike.words)
        self.assertEqual([look for look, _ in alike.shapes].count("gpu"), 4)
        self.assertEqual(alike.words.count("224 GB/s"), 4, "C2C")
        self.assertEqual([look for look, _ in different.shapes].count("gpu"), 8)
        self.assertIn("h5", different.words)

    def test_speeds_that_are_not_known_are_said_to_be(self) -> None:
        machine = Machine()
        machine.cpu([machine.nic(link={"gbps": 12.0})])

        self.assertIn("not known:", page_of(machine.json).words)

    def test_more_than_two_nics_stand_on_top_of_each_other(self) -> None:
        machine = Machine()
        machine.cpu([machine.switch(machine.gpu(), *(machine.nic() for _ in range(4)))])

        nics = [box for look, box in page_of(machine.json).shapes if look == "nic"]

        self.assertEqual(len({box.x for box in nics}), 1)
        self.assertEqual(len({box.y for box in nics}), 4)

    def test_pointing_at_a_device_tells_its_links(self) -> None:
        tips = [title.text for title in page_of(platform("dgx-h100")).root.iter(f"{SVG}title")]

        gpu = next(tip for tip in tips if tip.startswith("GPU3:"))
        self.assertIn("NVLink to NVS0, 371 GB/s", gpu)
        self.assertIn("PCIe 5.0 x16, 48 GB/s", gpu)

    def test_pictures_load_nothing(self) -> None:
        text = Picture(platform("dgx-h100")).document()

        self.assertEqual(text.count("http"), 1, "the name space")
        for part in ("href", "url(", "@import", "<script", "<image"):
            self.assertNotIn(part, text)


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
