"""Writes the CSV on stdin as Parquet to the file that the first word names."""

from __future__ import annotations

import sys
from pathlib import Path

try:
    from pyarrow import csv, parquet
except ImportError:
    sys.exit("parquet.py: this Python has no pyarrow")


def main() -> None:
    path = Path(sys.argv[1])
    part = path.with_name(f"{path.name}.part")
    parquet.write_table(csv.read_csv(sys.stdin.buffer), part)
    part.replace(path)


if __name__ == "__main__":
    main()
