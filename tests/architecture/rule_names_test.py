"""Where the code of doctor log asks for a rule by its name, there is one of that name."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "src/diagnose/log"
NAME = r'"([a-z0-9]+(?:-[a-z0-9]+)+)"'


def rules() -> set[str]:
    tables = [*FOLDER.glob("signatures_*.cc"), FOLDER / "rule_texts.cc"]
    found = {name for table in tables for name in re.findall(r"\{" + NAME, table.read_text())}
    for header in FOLDER.glob("*.h"):  # constants, which tables and code share
        found.update(re.findall(r"k[A-Z]\w+ = " + NAME, header.read_text()))
    return found


class RuleNames(unittest.TestCase):
    def test_each_that_the_code_asks_for_is_a_rule(self):
        known = rules()
        self.assertGreater(len(known), 100)
        others = {"rule_texts.cc", "frames.cc"}  # the latter names libraries
        asked = [
            (file.name, name)
            for file in sorted(FOLDER.glob("*.*"))
            if not file.name.startswith("signatures_") and file.name not in others
            for name in re.findall(NAME, file.read_text())
        ]
        self.assertGreater(len(asked), 40)
        self.assertEqual([one for one in asked if one[1] not in known], [])


if __name__ == "__main__":
    unittest.main()
