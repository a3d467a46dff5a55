"""Eight public parsers' readings of nccl-tests' table, each against a plain reading of the text.

`python3 parsers.py FILE...` prints what each parser read and fails where one reads something else
than the table says, or nothing although the table holds what it can read.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import parser_rules as rules
from parser_rules import Reading

OUT_OF_PLACE_BUSBW, IN_PLACE_BUSBW = 7, 11
FEWEST_TOKENS = 13


@dataclass
class Table:
    """What the text says, by tokens: rows, and the footer's average and verdicts."""

    rows: list[list[str]]
    average: float
    failed: bool

    def busbw(self, column: int = IN_PLACE_BUSBW, kinds: str = ".*") -> Reading:
        """size -> busbw of all rows whose type matches; the last row of a size counts."""
        return {row[0]: float(row[column]) for row in self.rows if re.fullmatch(kinds, row[2])}


def plain_reading(text: str) -> Table:
    rows = [line.split() for line in text.splitlines() if re.match(r"\s*\d", line)]
    average = re.search(r"^# +Avg bus bandwidth +: (\S+)", text, re.MULTILINE)
    assert average, "the text has no line '# Avg bus bandwidth'"
    table = Table([row for row in rows if len(row) >= FEWEST_TOKENS], float(average[1]),
                  "FAILED" in text)
    assert table.rows, f"the text has no row of {FEWEST_TOKENS} tokens"
    return table


def want_superbench(table: Table) -> Reading:
    return {size: rate for size, rate in table.busbw(OUT_OF_PLACE_BUSBW).items() if size != "0"}


def want_aws_csv(table: Table) -> Reading:
    known = [row for row in table.rows if row[3] not in ("avg", "mulsum")]
    rates = Table(known, 0, False).busbw(kinds="float|double|int|half")
    return rates | {"average": table.average} if rates else {}


def want_aws_health(table: Table) -> Reading:
    return {"best": max(float(row[IN_PLACE_BUSBW]) for row in table.rows)}


def want_gcp(table: Table) -> Reading:
    rates: Reading = {size: int(rate) for size, rate in table.busbw(kinds="float").items()}
    return rates | {"average": int(table.average)} if rates else {}


@dataclass
class Parser:
    read: Callable[[str], Reading]
    want: Callable[[Table], Reading]


PARSERS = {
    "superbench": Parser(rules.superbench, want_superbench),
    "cloudai": Parser(rules.cloudai, lambda t: t.busbw()),
    "aws-csv": Parser(rules.aws_csv, want_aws_csv),
    "aws-health": Parser(rules.aws_health, want_aws_health),
    "gcp": Parser(rules.gcp, want_gcp),
    "azure": Parser(rules.azure, lambda t: {"failed": 1} if t.failed else {"average": t.average}),
    "ncclscout": Parser(rules.ncclscout, lambda t: {"first": float(t.rows[0][IN_PLACE_BUSBW])}),
    "oci-cvs": Parser(rules.oci_and_cvs, lambda t: {"oci": t.average, "cvs": t.average}),
}


def disagreements(text: str) -> dict[str, str]:
    """Parser -> what it read and what it should have read, for those that read the text wrongly."""
    table = plain_reading(text)
    wrong = {}
    for name, parser in PARSERS.items():
        want = parser.want(table)
        try:
            read: object = parser.read(text)
        except (ValueError, IndexError, StopIteration) as error:
            read = error
        if read != want:
            wrong[name] = f"read {read!r} instead of {want}"
    return wrong


def main(paths: list[str]) -> int:
    failed = False
    for path in paths:
        text = Path(path).read_text()
        wrong = disagreements(text)
        for name, parser in PARSERS.items():
            print(f"{path}: {name}: {wrong.get(name) or parser.read(text) or 'none of its types'}")
        failed |= bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
