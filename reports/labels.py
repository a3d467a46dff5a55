"""Short and different names for runs: file, setup, then what their commands differ in."""

from __future__ import annotations

from collections import Counter

from checked import MAX_WORD, printable
from records import Run

FILES = ("--jsonl", "--csv", "-J", "--output_file")  # options whose value changes no result


def _word(run: Run, key: str) -> str:
    return printable(str(run.info.get(key, "?"))[:MAX_WORD])


def setup_of(run: Run) -> str:
    """Backend and ranks, in a few words; copies have no ranks."""
    nranks, nnodes = _word(run, "nranks"), _word(run, "nnodes")
    words = [_word(run, "backend")]
    if nranks != "0":
        words.append(f"{nranks} rank{'' if nranks == '1' else 's'}")
    if nnodes.isdecimal() and int(nnodes) > 1:
        words.append(f"{nnodes} nodes")
    return ", ".join(words)


def command_of(run: Run) -> tuple[str, ...]:
    """Without the program's name and the files that were written."""
    args = run.info.get("args")
    words = [str(word) for word in args[1:]] if isinstance(args, list) else []
    kept, skip = [], False
    for word in words:
        if not skip and word not in FILES and not word.startswith(tuple(f"{f}=" for f in FILES)):
            kept.append(word)
        skip = word in FILES
    return tuple(kept)


def _variables(run: Run) -> tuple[str, ...]:
    value = run.info.get("environment")
    return tuple(str(line) for line in value) if isinstance(value, list) else ()


def _file_names(firsts: list[Run]) -> list[str]:
    """As the user named them; of the files, with their folders where two are called the same."""
    stems = {run.path: printable(run.path.stem) for run in firsts}
    if len(set(stems.values())) < len(stems):
        stems = {path: f"{printable(path.resolve().parent.name)}/{s}" for path, s in stems.items()}
    return [run.name or stems[run.path] for run in firsts]


def _differing_words(firsts: list[Run]) -> list[str]:
    """Of commands and variables what not all of them have."""
    words = [(*_variables(run), *command_of(run)) for run in firsts]
    shared = set.intersection(*map(set, words))
    return [printable(" ".join(w for w in some if w not in shared))[:MAX_WORD] for some in words]


def labels_of(firsts: list[Run]) -> list[str]:
    """One for each; a run alone is called by its setup."""
    if len(firsts) == 1:
        return [firsts[0].name or setup_of(firsts[0])]
    labels = ["" for _ in firsts]
    for parts, always in ((_file_names(firsts), True),
                          ([setup_of(run) for run in firsts], True),
                          (_differing_words(firsts), False)):
        if len(set(parts)) > 1 and (always or len(set(labels)) < len(labels)):
            labels = [": ".join(filter(None, pair)) for pair in zip(labels, parts, strict=True)]
    total, seen, numbered = Counter(labels), Counter[str](), []
    for label in labels:
        seen[label] += 1
        number = f" (#{seen[label]})" if total[label] > 1 else ""
        numbered.append((label + number).strip() or "run")
    return numbered
