"""Links within the docs lead somewhere, and every finding that the sources name has its page."""

import re
import unittest
from functools import cache
from pathlib import Path

from support import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```.*?^```", re.S | re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")
# Where rules give their names to findings: the words up to the next comma.
NAMING = re.compile(r"(?:\.rule = |\babout\(|\bfound\(|k(?:Costs|Better|UnlikeNode) = )([^,;]*)")


@cache
def anchors(page: Path) -> frozenset[str]:
    """Those that GitHub gives to headings."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.M):
        text = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading).lower().replace(" ", "-")
        found.add(re.sub(r"[^\w-]", "", text))
    return frozenset(found)


class Links(unittest.TestCase):
    def test_lead_to_pages_and_headings(self):
        checked = 0
        for page in PAGES:
            for link in LINK.findall(re.sub(r"`[^`]*`", "", FENCE.sub("", page.read_text()))):
                if re.match(r"\w+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                with self.subTest(page=page.name, link=link):
                    self.assertTrue(target.exists())
                    if anchor and target.suffix == ".md":
                        self.assertIn(anchor, anchors(target))
                checked += 1
        self.assertGreater(checked, 300)


class Findings(unittest.TestCase):
    def test_have_a_page_each(self):
        named = 0
        for folder in ("src/diagnose", "topo/lint", "src/commands"):
            for source in (ROOT / folder).rglob("*.cc"):
                for words in NAMING.findall(source.read_text()):
                    for rule in re.findall(r'"([a-z]+(?:[-_][a-z]+)*)"', words):
                        with self.subTest(source=source.name, rule=rule):
                            self.assertTrue((ROOT / "docs" / "doctor" / f"{rule}.md").exists())
                        named += 1
        self.assertGreater(named, 40)


if __name__ == "__main__":
    main()
