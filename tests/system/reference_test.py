"""The reference pages name every key, variable and column that the programs and sources have."""

import re
import tempfile
import unittest
from pathlib import Path

from support import run, tool

ROOT = Path(__file__).parents[2]


def table_rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the first table below a heading of docs/PAGE, without its head."""
    text = (ROOT / "docs" / page).read_text().split(f"\n## {heading}\n")[1]
    lines = [line for line in text.split("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


class Reference(unittest.TestCase):
    def test_every_example_of_the_fake_backend_is_taken_and_no_key_is_missing(self):
        rows = table_rows("cli.md", "The fake backend")
        command = [tool("all_reduce_perf"), "-t", "4", "--dry-run", "--backend", "fake", "--fake"]
        for row in rows:
            with self.subTest(key=row[0]):
                done = run([*command, row[-1].strip("`")])
                self.assertEqual(done.returncode, 0, done.stderr)
        keys = re.search(r"one of (.*?)\.", run([*command, "?=1"]).stderr)[1].split(", ")
        self.assertEqual([row[0].strip("`") for row in rows], keys)

    def test_every_variable_that_is_read_is_documented(self):
        page = (ROOT / "docs" / "cli.md").read_text()
        documented = re.findall(r"`([A-Z_]+\*?)`", page)
        read = re.compile(r'(?:get|has|filled|number_in|number_of)\((?:environment, )?"([A-Z_]+)"')
        for source in (ROOT / "src").rglob("*.cc"):
            for name in read.findall(source.read_text()):
                with self.subTest(file=source.name, variable=name):
                    self.assertTrue(any(name == d or (d.endswith("*") and name.startswith(d[:-1]))
                                        for d in documented), name)

    def test_every_column_of_the_csv_is_in_the_docs(self):
        page = (ROOT / "docs" / "output-format.md").read_text()
        listed = re.findall(r"`([a-z0-9_]+)`", page.split("\n## CSV")[1].split("\n## ")[0])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.csv"
            done = run([tool("all_reduce_perf"), "-b", "8", "-e", "8", "-t", "2",
                        "--backend", "fake", "--csv", str(path)])
            self.assertEqual(done.returncode, 0, done.stderr)
            columns = path.read_text().splitlines()[0].split(",")
        self.assertEqual([name for name in columns if name not in listed], [])


if __name__ == "__main__":
    unittest.main()
