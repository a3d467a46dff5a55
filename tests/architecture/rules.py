"""The rules of the house: each takes one source and yields what breaks it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from layers import FOREIGN, allowed
from scopes import Function, scan
from sources import Source, Violation, folder_of_include
from state import state

MAX_FILE_LINES = 500
MAX_PYTHON_LINES = 120
MAX_FUNCTION_LINES = 60
MAX_COLUMNS = 100

# Where `#if` may stand, and on what. Elsewhere nothing but `__cplusplus` around extern "C".
_ARCHITECTURE = r"__(CUDACC|CUDA_ARCH|x86_64|aarch64|AVX\w*|SSE\w*|F16C|FMA|ARM_\w+|SIZEOF_\w+)_*"
CONDITIONS = (
    (r"src/backends/\w+/.*|src/devices/cuda/.*", r".*"),
    (r"src/devices/cpu/.*|src/pattern/.*\.h|src/base/(simd\.h|stream_copy\.cc)", _ARCHITECTURE),
    (r"src/bench/probe/kernels\.cc", _ARCHITECTURE),
    (r"src/base/simd\.h", r"__clang__"),  # its attributes are others
    (r".*", r"__cplusplus"),
)


def includes(source: Source) -> Iterator[Violation]:
    """Quoted includes follow the arrows; foreign headers stay in their folders."""
    if not source.is_cpp or source.is_test or source.folder is None:
        return
    for number, line in enumerate(source.lines, 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        bracket, name = match.groups()
        foreign = next((f for f in FOREIGN if re.fullmatch(f.header, name)), None)
        if foreign and source.folder.name not in foreign.homes:
            text = f"<{name}> belongs into {', '.join(foreign.homes)}"
            yield Violation(source.path, number, "foreign-header", text)
        if bracket == '"' and not foreign:
            target = folder_of_include(name)
            if target is None:
                yield Violation(source.path, number, "include", f'"{name}" is in no known folder')
            elif not allowed(source.folder, target):
                text = f"{source.folder.name} may not include {target.name} ({name})"
                yield Violation(source.path, number, "arrow", text)


def conditions(source: Source) -> Iterator[Violation]:
    """Conditional compilation stays in backends and kernels."""
    if not source.is_cpp or source.is_test:
        return
    granted = [macros for path, macros in CONDITIONS if re.fullmatch(path, source.path)]
    for number, line in enumerate(source.code.splitlines(), 1):
        match = re.match(r"\s*#\s*(?:el)?if(?:n?def)?\b(.*)", line)
        if not match:
            continue
        for macro in re.findall(r"\b(?!defined\b)[A-Za-z_]\w*", match[1]) or [match[1].strip()]:
            if not any(re.fullmatch(macros, macro) for macros in granted):
                text = f"#if on {macro} outside a backend's folder"
                yield Violation(source.path, number, "condition", text)


def sizes(source: Source) -> Iterator[Violation]:
    """Files, functions and lines keep the style guide's limits."""
    limit = MAX_PYTHON_LINES if source.path.endswith(".py") else MAX_FILE_LINES
    if len(source.lines) > limit:
        text = f"{len(source.lines)} lines, limit {limit}"
        yield Violation(source.path, limit + 1, "file-size", text)
    for number, line in enumerate(source.lines, 1):
        if len(line) > MAX_COLUMNS:
            text = f"{len(line)} columns, limit {MAX_COLUMNS}"
            yield Violation(source.path, number, "columns", text)
    for function in scan(source.code) if source.is_cpp else ():
        if isinstance(function, Function) and function.length > MAX_FUNCTION_LINES:
            text = f"{function.head[:60]}: {function.length} lines, limit {MAX_FUNCTION_LINES}"
            yield Violation(source.path, function.line, "function-size", text)


def own_header(path: str) -> str:
    """How `#include` of a source file's own header ends."""
    return f'/{Path(path).stem}.h"'


def first_line(source: Source) -> Iterator[Violation]:
    """The first line (below a #!) says what the file is; a .cc file may leave it to its header."""
    body = source.lines[1:] if source.text.startswith("#!") else source.lines
    starts = ("// ", "/* ") if source.is_cpp else ('"""', 'r"""', "# ")
    if source.path.endswith(".cc") and body and body[0].endswith(own_header(source.path)):
        return
    if not body or not body[0].startswith(starts):
        yield Violation(source.path, 1, "first-line", "does not say what this file is")


RULES = (includes, conditions, state, sizes, first_line)
