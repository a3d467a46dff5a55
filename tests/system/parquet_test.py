"""linerate results --parquet: all rows, with the types of all of them."""

import os
import subprocess
import unittest
from pathlib import Path

from support import main, run
from sweep import Sweeps

REPORTS = Path(__file__).parents[2] / "reports"


def python(script: str, *words: str) -> subprocess.CompletedProcess:
    """In the Python that linerate calls."""
    return run([os.environ.get("PYTHON", "/usr/bin/python3"), "-c", f"import sys\n{script}",
                *words])


def has_pyarrow() -> bool:
    return python("import pyarrow").returncode == 0


class Parquet(Sweeps):
    def test_has_each_result_where_python_can(self):
        path = self.folder / "all.parquet"
        study = self.study("collectives: [all_reduce, all_gather]\nsizes: [64, 1K:4K]\n")
        self.assertEqual(self.sweep(str(study)).returncode, 0)

        done = self.results("--parquet", str(path))

        if not has_pyarrow():
            self.assertEqual(done.returncode, 5)
            self.assertIn("pyarrow", done.stderr)
            self.assertFalse(path.exists())
            raise unittest.SkipTest("no pyarrow here: only that it is missed was seen")
        self.assertEqual(done.returncode, 0, done.stderr)
        read = python("from pyarrow import parquet; t = parquet.read_table(sys.argv[1])\n"
                      "print(t.num_rows, *(t.schema.field(name).type for name in"
                      " ('bytes', 'busbw_gbps', 'case_variables', 'case_start_time')))", str(path))
        self.assertEqual(read.stdout, "16 int64 double string timestamp[ms, tz=UTC]\n",
                         read.stderr)

    def test_columns_have_the_types_of_their_last_rows_too(self):
        if not has_pyarrow():
            raise unittest.SkipTest("no pyarrow here")
        lines, path = self.folder / "long.csv", self.folder / "long.parquet"
        rows = [[str(i), "", str(i), f'"{i}\n"'] for i in range(20000)]
        rows[-1][1:3] = "2.5", "x"
        heading = ["i", "late", "text", "lines"]
        lines.write_text("".join(",".join(row) + "\n" for row in [heading, *rows]))

        done = python(
            f"sys.path.insert(0, {str(REPORTS)!r}); import parquet; parquet.BLOCK_BYTES = 65536\n"
            "parquet.main(); from pyarrow.parquet import ParquetFile\n"
            "f = ParquetFile(sys.argv[1]); print(*f.schema_arrow.types, f.num_row_groups > 1,"
            " f.read().to_pylist()[-1])", str(path), str(lines))

        self.assertEqual(done.stdout, "int64 double string string True {'i': 19999, 'late': 2.5, "
                         "'text': 'x', 'lines': '19999\\n'}\n", done.stderr)


if __name__ == "__main__":
    main()
