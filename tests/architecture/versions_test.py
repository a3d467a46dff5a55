"""The version stands in CMakeLists.txt; whatever else names it names the same."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Files, and what stands around the version in them.
PLACES = {
    "reports/pyproject.toml": [r'^version = "(.*)"$'],
    "packaging/spack/packages/linerate/package.py": [r'version\("(.*)"\)', r"linerate-(.*)\.tar"],
    "packaging/easybuild": [r"linerate-(.*)\.eb"],
    "docs/multi-node.md": [r"image: \S+/linerate:(\S+)"],
    "docs/install.md": [r"linerate-([\d.]+)\.(?:tar\.gz|eb)", r"linerate@([\d.]+)"],
    "CONTRIBUTING.md": [r"\bv?(\d+\.\d+\.\d+)\b"],
    "README.md": [r"compatible, linerate ([^,]*),"],
}
RELEASE = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$", re.M)


def version() -> str:
    return re.search(r"project\(linerate VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def text_of(path: Path) -> str:
    return "\n".join(file.name for file in path.iterdir()) if path.is_dir() else path.read_text()


class Versions(unittest.TestCase):
    def test_every_place_names_the_same(self):
        for name, patterns in PLACES.items():
            text = text_of(ROOT / name)
            for pattern in patterns:
                found = re.findall(pattern, text, re.M)
                with self.subTest(place=name, pattern=pattern):
                    self.assertTrue(found, "it names no version")
                    self.assertEqual(set(found), {version()})

    def test_the_easybuild_recipe_is_named_as_its_version(self):
        recipe = ROOT / f"packaging/easybuild/linerate-{version()}.eb"
        self.assertIn(f"version = '{version()}'", recipe.read_text())

    def test_the_changelog_has_it_as_its_newest_release(self):
        text = (ROOT / "CHANGELOG.md").read_text()
        releases = RELEASE.findall(text)
        self.assertEqual(releases[0][0], version())
        dates = [date for _, date in releases]
        self.assertEqual(dates, sorted(dates, reverse=True))
        heads = re.findall(r"^## (.*)$", text, re.M)
        self.assertEqual(heads[0], "[Unreleased]")
        self.assertEqual(len(heads), len(releases) + 1, heads)


if __name__ == "__main__":
    unittest.main()
