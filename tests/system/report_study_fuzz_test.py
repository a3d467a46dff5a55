"""A sweep's file with anything in its cells, or damaged: a page, or one sentence and exit 2."""

import random
import unittest

from study_case import StudyCase

ANYTHING = (None, "", "x", "<b>", "\x1b[2J", -1, 0, 2**63 - 1, 1e308, -1e308, 1e-320, b"\xff\x00",
            "[" * 20_000, '{"A": ["<"]}', "9" * 5000)


class StudyFuzz(StudyCase):
    def check(self) -> None:
        code, said = self.call("html", "", str(self.path))
        self.assertIn(code, (0, 2), said)
        self.assertEqual(said.count("\n"), 1, said)
        if code == 0:
            page = (self.folder / "report.html").read_text(encoding="utf-8")
            self.assertNotIn("<b>", page)
            self.assertNotIn("\x1b", page)

    def test_cells_of_any_kind(self):
        rng = random.Random(7)
        for day in range(1, 7):
            for value in ("1", "2", None):
                self.case({"A": value}, {8: 10.0 * day, 64: 20.0}, nodes=1 + (day == 6), day=day)
        for table in ("cases", "results"):
            columns = [row[1] for row in self.file.execute(f"PRAGMA table_info({table})")]
            for column in columns:
                for value in ANYTHING:
                    if column == "id":
                        continue
                    with self.subTest(column=column, value=str(value)[:20]):
                        row = rng.randrange(1, 15)
                        self.file.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?",
                                          (value, row))
                        self.check()
                        self.restore(table, column, row)

    def test_times_that_no_clock_shows(self):
        self.case({"A": "1"}, {8: 1e-320})
        self.case({"A": "2"}, {8: 1e14})
        self.check()

    def restore(self, table: str, column: str, row: int) -> None:
        """The value of the next row is as good as any."""
        self.file.execute(f"UPDATE {table} SET {column} = (SELECT {column} FROM {table} WHERE "
                          "rowid = ?) WHERE rowid = ?", (row + 1, row))

    def test_damaged_files(self):
        rng = random.Random(7)
        for day in range(1, 6):
            self.case({"A": str(day % 2)}, {8: 10.0, 64: 20.0}, day=day)
        self.file.commit()
        whole = self.path.read_bytes()
        for _ in range(60):
            text = bytearray(whole)
            for _ in range(rng.choice((1, 20, 400))):
                text[rng.randrange(16, len(text))] = rng.randrange(256)
            self.path.write_bytes(text[:rng.choice((len(text), rng.randrange(100, len(text))))])
            self.check()


if __name__ == "__main__":
    unittest.main()
