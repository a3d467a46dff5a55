"""The help of every program and command has one style, and is found in every way to ask for it."""

import re
import sys
import unittest
from pathlib import Path

from support import BIN, main, run, tool

ROOT = Path(__file__).resolve().parents[2]
GROUP = re.compile(r"[A-Z][^.]*")
ENTRY = re.compile(r"  \S.*")
NEXT_LINE = re.compile(r" {7,}\S.*")
PAGES = [sys.executable, "-c", "import alone; raise SystemExit(alone.main())"]
REPORTS = {"PYTHONPATH": str(ROOT / "reports")}
TRAINERS = ("train_ddp", "train_fsdp", "train_3d")


def asked(*words: str, **extra: str) -> str:
    done = run([*words], **extra)
    assert done.returncode == 0 and done.stderr == "", (words, done)
    return done.stdout


def names_below(title: str, text: str) -> list[str]:
    """The words before the text of each entry of a group."""
    group = text.split(f"\n{title}\n")[1].split("\n\n")[0]
    return [re.split(r" {2,}", line.strip())[0] for line in group.splitlines() if ENTRY.match(line)
            and not NEXT_LINE.match(line)]


def commands() -> list[list[str]]:
    """Words of every command: `perf TOOL [options]` is perf, `tune nccl|mpi|gloo` three."""
    found = []
    for entry in names_below("Commands", asked(tool("linerate"), "help")):
        words = [word for word in entry.split() if re.fullmatch(r"[a-z|]+", word)]
        found += [[*words[:-1], last] for last in words[-1].split("|")]
    return found


class Style(unittest.TestCase):
    def check(self, name: str, text: str) -> None:
        with self.subTest(name=name):
            self.assertRegex(text, rf"\Ausage:   {name}( |\n)")
            self.assertNotRegex(text, r"[^\x20-\x7e…\n]")
            usage, about, *groups = text.rstrip("\n").split("\n\n")
            for line in usage.splitlines()[1:]:
                self.assertRegex(line, r"^(example:|        ) \S")
            self.assertRegex(about, r"(?s)\A[A-Z`].*\.\Z")
            self.assertEqual([group.splitlines()[0] for group in groups][-1], "Exit codes")
            self.assertTrue(any(re.search(r"^  -h, --help {2,}print this text$", group, re.M)
                                for group in groups), "no -h, --help")
            for group in groups:
                title, *lines = group.splitlines()
                self.assertRegex(title, GROUP)
                self.assertTrue(lines, title)
                for line in lines:
                    self.assertRegex(line, ENTRY)
                    self.assertLessEqual(len(line), 100)
                    if not NEXT_LINE.match(line):
                        self.assertRegex(line, r"\S( {2,}\S|$)", "no blanks behind a name")

    def test_every_command(self):
        every = commands()
        self.assertIn(["topo", "place"], every)
        self.assertIn(["tune", "mpi"], every)
        self.assertGreater(len(every), 25)
        for words in every:
            text = asked(tool("linerate"), *words, "-h")
            for others in ([*words, "--help"], ["help", *words]):
                self.assertEqual(asked(tool("linerate"), *others), text, others)
            known = [*words[:-1], "(host|nccl|.*)"] if words[0] == "tune" else words
            self.check("linerate " + " ".join(known), text)

    def test_every_tool(self):
        names = names_below("Tools (also programs of their own)", asked(tool("linerate"), "help"))
        self.assertGreaterEqual(len(names), 13)
        for name in names:
            text = asked(tool("linerate"), "help", name)
            program = text.split()[1]
            for words in (["linerate", name, "-h"], ["linerate", "help", "perf", name],
                          ["linerate", "perf", name, "--help"], [program, "-h"]):
                self.assertEqual(asked(tool(words[0]), *words[1:]), text, words)
            self.check(program, text)

    def test_other_programs(self):
        for program in (*TRAINERS, "math_perf"):
            if not (BIN / program).exists():
                self.skipTest(f"{program} is not built")
            self.check(program, asked(tool(program), "-h"))
        self.check("linerate-report", asked(*PAGES, "-h", **REPORTS))

    def test_version_is_the_same_everywhere(self):
        programs = ["linerate", "all_reduce_perf", "memcpy_perf", "p2p_perf"]
        programs += [name for name in TRAINERS if (BIN / name).exists()]
        found = {asked(tool(name), "--version") for name in programs}
        self.assertEqual(found, {asked(tool("linerate"), "version")})

    def test_help_writes_nothing(self):
        before = sorted(Path.cwd().iterdir())
        for page in ("man", "doctor", "completion"):
            text = asked(tool("linerate"), "docs", page, "-h")
            self.assertTrue(text.startswith("usage:   linerate docs "), text)
        self.assertEqual(sorted(Path.cwd().iterdir()), before)

    def test_wrong_words_of_the_pages_are_one_sentence(self):
        done = run([*PAGES, "x", "--nope"], **REPORTS)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    main()
