"""The rule against mutable state: no variable outlives the objects that own it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scopes import Kind, Statement, scan
from sources import Source, Violation

# What is granted: one variable of this kind in this file.
STATE = (
    (r"src/commands/program\.cc", r"sig_atomic_t|std::atomic"),  # the signal flag
    (r"src/devices/cpu/math/gemm\.cc", "thread_local"),  # blocks of matrices, which are large
    (r"src/.*/plugin\.cc", r"\*"),  # a C plugin's entry has no argument for its state
    (r"src/backends/nccl/profiler/entry_points\.cc", r"\*"),  # nor have NCCL's
)


def _is_mutable_variable(statement: Statement) -> bool:
    text = re.sub(r"^(\[\[.*?\]\]\s*)+|(?<=\boperator)[^\w\s(]+", "", statement.text)
    if re.match(r"(using|typedef|template|static_assert|friend|extern|namespace|concept)\b", text):
        return False
    if re.match(r"(class|struct|union|enum)\b", text):
        return statement.scope is Kind.NAMESPACE and bool(re.search(r"\{\}\s*\w+", text))
    declarator = re.split(r"[={]", text)[0]
    while (shorter := re.sub(r"<[^<>]*>", "", declarator)) != declarator:
        declarator = shorter
    if statement.scope is not Kind.NAMESPACE:
        if not re.match(r"(inline\s+)?(static|thread_local)\b", text):
            return False
        if "(" in declarator and not statement.in_function:
            return False
    elif "(" in declarator or len(re.findall(r"\w+", declarator)) < 2:
        return False
    after_const = declarator.rpartition("const")[2] if "const " in declarator else "*"
    return not re.search(r"\bconstexpr\b", text) and "*" in after_const


def state(source: Source) -> Iterator[Violation]:
    """No variable outlives the objects that own it."""
    if not source.is_cpp or source.is_test:
        return
    granted = [kind for path, kind in STATE if re.fullmatch(path, source.path)]
    for statement in scan(source.code):
        if not isinstance(statement, Statement) or not _is_mutable_variable(statement):
            continue
        if granted and re.search(granted[0], statement.text):
            granted.clear()
            continue
        yield Violation(source.path, statement.line, "state", f"mutable: {statement.text[:80]}")
