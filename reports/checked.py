"""Values of a line: ValueError unless they are of their kind, in range, and fit for a chart."""

from __future__ import annotations

import math
from typing import Any

Object = dict[str, Any]

MAX_WORD = 200  # characters of a name that stands in a chart
MAX_TEXT = 1000  # of a sentence
MAX_WHOLE = 2**63 - 1
SHORTEST_US, LONGEST_US = 1e-6, 1e15


def printable(text: str) -> str:
    """Without what no chart or page can show: control characters and halves of surrogate pairs."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def object_of(line: Object, key: str) -> Object:
    value = line.get(key)
    if not isinstance(value, dict):
        raise ValueError(f"{key} is missing" if value is None else f"{key} is not an object")
    return value


def word_of(case: Object, key: str, of: str = "case") -> str:
    value = case[key]
    if not isinstance(value, str) or len(value) > MAX_WORD:
        raise ValueError(f"{of}.{key} is not a text of up to {MAX_WORD} characters")
    return printable(value)


def number_of(value: Any, key: str, least: float = 0.0) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{key} is not a number")
    if abs(value) > MAX_WHOLE or not math.isfinite(value):  # in this order: whole numbers are exact
        raise ValueError(f"{key} is not a number that can be drawn")
    if value < least:
        raise ValueError(f"{key} is {value}, less than {least:g}")
    return float(value)


def optional_number(line: Object, key: str) -> float | None:
    value = line.get(key)
    return None if value is None else number_of(value, key)


def text_of(value: Any) -> str:
    """Empty where there is no text."""
    return printable(value[:MAX_TEXT]) if isinstance(value, str) else ""


def time_of(value: Any, key: str) -> float:
    time_us = number_of(value, key, least=-math.inf)
    if not SHORTEST_US <= time_us <= LONGEST_US:
        raise ValueError(f"{key} is {value}, which no call takes")
    return time_us


def whole_of(value: Any, key: str, least: int = 0, most: int = MAX_WHOLE) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        whole = " whole" if isinstance(value, float) else ""
        raise ValueError(f"{key} is not a{whole} number")
    if not least <= value <= most:
        raise ValueError(f"{key} is not between {least} and {most}")
    return value
