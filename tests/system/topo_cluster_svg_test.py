#!/usr/bin/env python3
"""linerate topo --cluster --svg: racks, leaves and spine; what is slow is red, and nothing else."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

from support import main, run, tool
from svg_page import Page, smaller

from topology_cluster import ClusterPicture  # isort: skip  (svg_page makes it findable)

TOPO = [tool("linerate"), "topo"]
RED = "link pci bad"
EVEN = "nodes: {topology: dgx-h100, count: 8}\nrails: 8\nrack: {nodes: 4}\n"
SLOW = """name: west
nodes:
  - {topology: dgx-h100, count: 10}
  - {topology: aws-p4d, count: 2}
rails: 4
rack: {nodes: 4, oversubscription: 2, latency: 300 ns}
spine: {oversubscription: 1.5}
"""


class Clusters(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def cluster(self, text: str, *words: str) -> str:
        file = self.folder / "cluster.yaml"
        file.write_text(text)
        done = run([*TOPO, "--cluster", str(file), *words])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def page(self, text: str) -> Page:
        return Page(ClusterPicture(json.loads(self.cluster(text, "--json"))).document())

    def red_boxes(self, page: Page) -> int:
        return [look for look, _ in page.shapes].count("down")

    def assert_tidy(self, page: Page) -> None:
        boxes = [(text, smaller(box, 1.5)) for text, box in page.texts]
        for at, (text, box) in enumerate(boxes):
            inside = box.x >= 0 and box.right <= page.canvas.right and box.bottom <= page.canvas.h
            self.assertTrue(inside, f"{text} leaves the picture")
            hit = [other for other, taken in boxes[:at] if box.overlaps(taken)]
            self.assertEqual(hit, [], f"{text} lies on them")

    def test_have_their_racks_leaves_and_spine(self) -> None:
        page = self.page(EVEN)

        self.assert_tidy(page)
        for words in ("8 nodes · 64 GPUs · 2 racks · leaves not oversubscribed · 8 rails with a "
                      "leaf each", "spine", "rack 0", "rack 1", "4 x dgx-h100", "7",
                      "nodes 4-7: 8 GPUs, 8 NIC ports", "8 uplinks of 200 GB/s"):
            self.assertIn(words, page.words)
        self.assertEqual(page.links(RED), [])

    def test_show_what_is_slow_in_red(self) -> None:
        page = self.page(SLOW)

        self.assert_tidy(page)
        self.assertEqual(len(page.links(RED)), 3 * 4 + 1)  # uplinks, and the legend
        self.assertEqual(self.red_boxes(page), 3)  # spine, slow nodes, and the legend
        for words in ("2 x aws-p4d", "50 GB/s of NICs each", "nodes 8-9: 8 GPUs, 8 NIC ports",
                      "carries less than what is below it could send",
                      "has less NIC bandwidth for each GPU than other nodes"):
            self.assertIn(words, page.words)

    def test_show_no_uplink_in_red_that_its_nodes_cannot_fill(self) -> None:
        text = EVEN.replace("count: 8", "count: 6")
        page = self.page(text.replace("nodes: 4", "nodes: 4, oversubscription: 2"))

        self.assertEqual(len(page.links(RED)), 8 + 1)  # of the full rack, and the legend

    def test_of_a_slow_spine_alone_say_what_is_red(self) -> None:
        page = self.page(EVEN + "spine: {oversubscription: 2}\n")

        self.assert_tidy(page)
        self.assertEqual((len(page.links(RED)), self.red_boxes(page)), (0, 2))
        self.assertIn("carries less than what is below it could send", page.words)

    def test_of_many_racks_draw_one_for_those_alike(self) -> None:
        page = self.page(EVEN.replace("count: 8", "count: 400"))

        self.assert_tidy(page)
        self.assertIn("racks 0-99, 100 racks alike", page.words)

    def test_of_one_rack_have_no_spine(self) -> None:
        page = self.page("nodes: {topology: dgx-a100, count: 3}\n")

        self.assert_tidy(page)
        self.assertNotIn("spine", page.words)
        self.assertIn("3 x dgx-a100", page.words)

    def test_are_written_by_the_program(self) -> None:
        picture = self.folder / "x.svg"

        self.cluster(SLOW, "--svg", str(picture))

        self.assertIn("<title>west</title>", picture.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
