"""Writes a CSV as Parquet, a block at a time: parquet.py PARQUET CSV.

Two passes: a column's type is the first one that fits all of its cells, and those may come late.
"""

from __future__ import annotations

import sys
from pathlib import Path

try:
    import pyarrow as pa
    from pyarrow import csv, parquet
except ImportError:
    sys.exit("parquet.py: this Python has no pyarrow")

TYPES = (pa.int64(), pa.float64(), pa.bool_(), pa.timestamp("ms", "UTC"), pa.string())
BLOCK_BYTES = 8 << 20  # a line is shorter


def blocks(source: Path, types: dict[str, pa.DataType]) -> csv.CSVStreamingReader:
    return csv.open_csv(
        source,
        csv.ReadOptions(block_size=BLOCK_BYTES),
        csv.ParseOptions(newlines_in_values=True),
        csv.ConvertOptions(column_types=types, null_values=[""], strings_can_be_null=True),
    )


def fits(column: pa.Array, of: pa.DataType) -> bool:
    try:
        column.cast(of)
    except pa.ArrowInvalid:
        return False
    return True


def types_of(source: Path) -> dict[str, pa.DataType]:
    names = blocks(source, {}).schema.names
    possible = dict.fromkeys(names, TYPES)
    for block in blocks(source, dict.fromkeys(names, pa.string())):
        for name in names:
            possible[name] = tuple(of for of in possible[name] if fits(block[name], of))
    return {name: types[0] for name, types in possible.items()}


def main() -> None:
    path, source = Path(sys.argv[1]), Path(sys.argv[2])
    part = path.with_name(f"{path.name}.part")
    rows = blocks(source, types_of(source))
    with parquet.ParquetWriter(part, rows.schema) as writer:
        for block in rows:
            writer.write_batch(block)
    part.replace(path)


if __name__ == "__main__":
    main()
