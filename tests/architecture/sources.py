"""Reads the tree's sources once, and answers which folder of the map a file or an include is in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from layers import FOLDERS, ROOTS, Folder

TOP_FOLDERS = (
    "src", "collectives", "trainers", "topo", "benchmarks", "tests", "reports", "cmake"
)
CPP_ENDINGS = frozenset({".cc", ".h", ".cu", ".cuh"})
ENDINGS = CPP_ENDINGS | {".py", ".cmake", ".sh"}

_INERT = re.compile(
    r"""//[^\n]*|/\*.*?\*/                       # comments
      |R"([^()\s\\]{0,16})\(.*?\)\1"             # raw strings
      |"(?:\\.|[^"\\\n])*"                       # strings
      |(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])*'      # characters, but no digit separators""",
    re.DOTALL | re.VERBOSE,
)


def _newlines_only(match: re.Match[str]) -> str:
    text = match.group()
    return ('""' if text[0] in "\"R'" else " ") + "\n" * text.count("\n")


@dataclass(frozen=True)
class Violation:
    path: str
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.text}"


@dataclass(frozen=True)
class Source:
    """One file: `path` is relative to the root, with slashes."""

    path: str
    text: str

    @property
    def is_cpp(self) -> bool:
        return Path(self.path).suffix in CPP_ENDINGS

    @property
    def is_test(self) -> bool:
        return self.path.startswith("tests/")

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @cached_property
    def code(self) -> str:
        """The text without comments and literals; line numbers stay."""
        return _INERT.sub(_newlines_only, self.text)

    @cached_property
    def folder(self) -> Folder | None:
        """The folder of the map; None outside it (tests, reports, cmake)."""
        if any(Path(self.path).match(root) for root in ROOTS):
            return next(f for f in FOLDERS if f.name == "main")
        inside = [f for f in FOLDERS if self.path.startswith(f.path + "/")]
        return max(inside, key=lambda f: len(f.path), default=None)


def folder_of_include(name: str) -> Folder | None:
    """The folder that #include "name" reaches; None when it is in none."""
    inside = [f for f in FOLDERS if name.startswith(f.prefix + "/")]
    return max(inside, key=lambda f: len(f.prefix), default=None)


def read_tree(root: Path) -> Iterator[Source]:
    """Every source under the fixed top-level folders, in path order."""
    for top in TOP_FOLDERS:
        for file in sorted((root / top).rglob("*")):
            if file.suffix in ENDINGS and file.is_file():
                path = file.relative_to(root).as_posix()
                yield Source(path, file.read_text(encoding="utf-8", errors="replace"))
