#!/usr/bin/env python3
"""linerate topo --svg: what is in a picture."""

from __future__ import annotations

import unittest

from machine_json import Machine, mesh, worn_machine
from support import main
from svg_page import SVG, Page, Picture, page_of, platform, smaller


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
        self.assertFalse(any(smaller(box, 0.5).overlaps(lowest) for box in labels))

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


if __name__ == "__main__":
    main()
