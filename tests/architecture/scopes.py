"""A coarse reader of C++ scopes: enough to measure functions and to see variables.

It follows braces and parentheses and names each brace by the text before it. It relies on the
formatter: a brace that initialises stands right after a name, one that opens a block after a blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto


class Kind(Enum):
    NAMESPACE = auto()
    TYPE = auto()
    FUNCTION = auto()
    BLOCK = auto()  # inside a function: if, for, …
    VALUE = auto()  # an initialiser, a lambda or parentheses


@dataclass(frozen=True)
class Statement:
    """A declaration up to its `;`, inner braces and parentheses emptied, and where it stands."""

    text: str
    line: int
    scope: Kind
    in_function: bool


@dataclass(frozen=True)
class Function:
    """A definition from the first line of its head to the line of its closing brace."""

    head: str
    line: int
    length: int


@dataclass
class _Open:
    kind: Kind
    bracket: str
    head: str = ""
    start: int = -1  # where `head` begins


_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_ACCESS = re.compile(r"^(?:\s*(?:public|private|protected)\s*:(?!:))+")
_NAMESPACE = re.compile(r'^\s*(?:inline\s+)?namespace\b|^\s*extern\s*""\s*$')
_TYPE = re.compile(
    r"^\s*(?:template\s*<.*>\s*)?(?:typedef\s+)?(?:class|struct|union|enum)\b(?!.*\))", re.DOTALL
)
_EXPRESSION = re.compile(r"(?:\breturn|[,\]])\s*$")


def _kind(head: str, parent: _Open) -> Kind:
    if _NAMESPACE.match(head):
        return Kind.NAMESPACE
    if _TYPE.match(head):
        return Kind.TYPE
    without_parameters = re.sub(r"operator[^\w\s(]+|template\s*<.*?>\s", "", head)
    if "=" in without_parameters or not head[-1:].isspace() or _EXPRESSION.search(head):
        return Kind.VALUE
    in_declarations = parent.kind in (Kind.NAMESPACE, Kind.TYPE) and parent.bracket == "{"
    return Kind.FUNCTION if in_declarations and "(" in head else Kind.BLOCK


class _Scanner:
    """Walks brackets; `stack` is what is open, each with the text since its last statement."""

    def __init__(self, code: str) -> None:
        self.code = _DIRECTIVE.sub(lambda m: "\n" * m.group().count("\n"), code)
        self.stack = [_Open(Kind.NAMESPACE, "{")]

    def _line(self, position: int) -> int:
        return self.code.count("\n", 0, max(position, 0)) + 1

    def _add(self, piece: str, end: int) -> _Open:
        top = self.stack[-1]
        head = top.head + piece
        top.head = _ACCESS.sub("", head)
        if piece.strip() and (top.start < 0 or top.head != head):
            top.start = end - len(top.head.lstrip())
        return top

    def _close(self, token: str, end: int) -> Iterator[Function]:
        closed = self.stack.pop()
        outer = self.stack[-1]
        if closed.kind is Kind.FUNCTION:
            first, last = self._line(outer.start), self._line(end)
            yield Function(" ".join(outer.head.split()), first, last - first + 1)
        if closed.kind in (Kind.FUNCTION, Kind.NAMESPACE, Kind.BLOCK):
            outer.head, outer.start = "", -1
        else:
            outer.head += "()" if token == ")" else "{}"

    def scan(self) -> Iterator[Statement | Function]:
        position = 0
        for match in re.finditer(r"[{}();]", self.code):
            token = match.group()
            top = self._add(self.code[position : match.start()], match.start())
            position = match.end()
            if token in "({":
                kind = Kind.VALUE if token == "(" else _kind(top.head, top)
                self.stack.append(_Open(kind, token))
            elif token == ";" and top.bracket == "{":
                in_function = any(o.kind is Kind.FUNCTION for o in self.stack)
                text = " ".join(top.head.split())
                yield Statement(text, self._line(top.start), top.kind, in_function)
                top.head, top.start = "", -1
            elif token in ")}" and len(self.stack) > 1:
                yield from self._close(token, match.start())


def scan(code: str) -> Iterator[Statement | Function]:
    """All statements outside of parentheses, and all functions outside of functions."""
    return _Scanner(code).scan()
