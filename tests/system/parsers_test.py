"""The eight parsers read our table, and notice each way in which a table has broken them before."""

import unittest
from pathlib import Path

from parsers import PARSERS, disagreements

GOLDEN = Path(__file__).parents[1] / "unit" / "output" / "golden"
ALL_REDUCE = (GOLDEN / "all_reduce.txt").read_text()


def broken_by(old: str, new: str) -> set[str]:
    assert old in ALL_REDUCE, f"the table no longer holds {old!r}"
    return set(disagreements(ALL_REDUCE.replace(old, new)))


class OurTable(unittest.TestCase):
    def test_is_read_by_all_eight(self):
        for name in ("all_reduce.txt", "not_checked.txt", "wide.txt"):
            with self.subTest(table=name):
                self.assertEqual(disagreements((GOLDEN / name).read_text()), {})

    def test_gives_each_parser_its_numbers(self):
        self.assertEqual(PARSERS["superbench"].read(ALL_REDUCE), {"8": 0.01, "67108864": 12.61})
        self.assertEqual(PARSERS["cloudai"].read(ALL_REDUCE), {"8": 0.01, "67108864": 12.43})
        self.assertEqual(PARSERS["aws-csv"].read(ALL_REDUCE),
                         {"8": 0.01, "67108864": 12.43, "average": 6.26175})
        self.assertEqual(PARSERS["aws-health"].read(ALL_REDUCE), {"best": 12.43})
        self.assertEqual(PARSERS["gcp"].read(ALL_REDUCE), {"8": 0, "67108864": 12, "average": 6})
        self.assertEqual(PARSERS["azure"].read(ALL_REDUCE), {"average": 6.26175})
        self.assertEqual(PARSERS["ncclscout"].read(ALL_REDUCE), {"first": 0.01})
        self.assertEqual(PARSERS["oci-cvs"].read(ALL_REDUCE), {"oci": 6.26175, "cvs": 6.26175})

    def test_may_have_lines_of_ours_behind_its_footer(self):
        late = "# linerate: p99 is 6.2x the median (n=200)\n"
        self.assertEqual(disagreements(ALL_REDUCE + late), {})

    def test_may_name_the_algorithm_above_its_rows(self):
        line = "# algo: out_of_place RING, SIMPLE, 24 channels; in_place TREE, LL, 2 channels\n"
        for row in ("           8  ", "    67108864  "):
            with self.subTest(row=row):
                named = ALL_REDUCE.replace(row, line + row)
                self.assertIn(line, named)
                self.assertEqual({name: parser.read(named) for name, parser in PARSERS.items()},
                                 {name: parser.read(ALL_REDUCE)
                                  for name, parser in PARSERS.items()})

    def test_of_a_failed_check_is_reported_by_azure(self):
        failed = ALL_REDUCE.replace(": 0 OK", ": 2 FAILED")
        self.assertEqual(PARSERS["azure"].read(failed), {"failed": 1})
        self.assertEqual(disagreements(failed), {})


class ABrokenTable(unittest.TestCase):
    def test_without_leading_blanks_is_noticed(self):
        self.assertIn("aws-health", broken_by("\n    67108864", "\n67108864"))

    def test_with_an_exponent_is_noticed(self):
        self.assertIn("aws-csv", broken_by("5321.40", "5.3e+03"))

    def test_with_another_column_is_noticed(self):
        longer = "\n".join(line + "  7.50" if line.startswith("  ") else line
                           for line in ALL_REDUCE.split("\n"))
        self.assertEqual(set(disagreements(longer)),
                         {"superbench", "cloudai", "aws-health", "gcp", "ncclscout"})

    def test_with_a_word_of_the_footer_in_its_heading_is_noticed(self):
        self.assertIn("azure", broken_by("# Using devices", "# Expected bandwidth : 12"))

    def test_with_a_word_of_the_heading_behind_its_footer_is_noticed(self):
        self.assertIn("superbench", broken_by("# Collective test concluded", "# out-of-place"))

    def test_with_text_before_the_rows_is_noticed(self):
        self.assertIn("ncclscout", broken_by("# Using devices", "waited for 3 s\n# Using devices"))

    def test_with_a_renamed_column_is_noticed(self):
        self.assertIn("cloudai", broken_by("#wrong", "errors"))

    def test_with_two_blanks_behind_the_hash_is_noticed(self):
        self.assertIn("oci-cvs", broken_by("# Avg bus", "#  Avg bus"))


if __name__ == "__main__":
    unittest.main()
