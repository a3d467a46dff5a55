"""What bash, zsh and fish complete, and pages of man, as `linerate docs` writes them."""

import re
import shlex
import subprocess
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

from support import main, needs, run, tool

ASK_BASH = """
COMP_WORDS=({typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_linerate "" "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
# A shell in a terminal of zsh's own; what is listed lies between two marks. What is typed does not
# hold them, as the terminal may show that before the shell has begun.
ASK_ZSH = """
zmodload zsh/zpty
zpty asked zsh -f -i
typed() {{ zpty -w asked "$1"; }}
typed 'PS1= PROMPT2= RPS1='
typed 'fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D'
typed 'list() {{ zle list-choices; zle -R; }}; zle -N list; bindkey "^T" list'
typed 'LISTMAX=1000; LINES=200; bindkey "^K" kill-whole-line'
typed "print -r BEG''INS"
zpty -w -n asked {typed}$'\\x14\\x0b'
typed "print -r EN''DS"
while zpty -r asked line; do print -r -- "$line"; [[ $line == *ENDS* ]] && break; done
"""


def words_of(shell: str) -> str:
    return run([tool("linerate"), "docs", "completion", shell]).stdout


class Completion(unittest.TestCase):
    """Each shell is asked the same."""

    def check(self, ask: Callable[[str], list[str]], echoes: bool = False):
        """`echoes`: what was typed is in the answer, too."""
        for typed, there, not_there in (
                ("linerate ", ["topo", "all_reduce", "sweep"], ["place", "--json"]),
                ("linerate topo ", ["place"], ["snapshot", "topo"]),
                ("linerate tune ", ["host", "nccl"], ["nccl|mpi|gloo"]),
                ("linerate topo place --", ["--nvlink-domain"], ["--minbytes", "--predict"]),
                ("linerate all_reduce --min", ["--minbytes"], ["--iters"]),
                ("linerate perf all_reduce --min", ["--minbytes"], []),
                ("all_reduce_perf --min", ["--minbytes"], ["--iters"]),
                ("p2p_perf --at", ["--at-once"], []),
                ("train_3d --pp", ["--pp"], ["--minbytes"]),
                ("linerate doctor --fail", ["--fail-on"], [])):
            with self.subTest(typed=typed):
                found = ask(typed)
                self.assertLessEqual(set(there), set(found), found)
                self.assertFalse(not echoes and set(not_there) & set(found), found)

    def test_bash(self):
        script = words_of("bash")

        def ask(typed: str) -> list[str]:
            words = " ".join(map(shlex.quote, typed.split(" ")))
            done = run(["bash", "-c", script + ASK_BASH.format(typed=words)])
            self.assertEqual((done.returncode, done.stderr), (0, ""), typed)
            return done.stdout.split()

        self.check(ask)
        self.assertEqual(ask("all_reduce_perf --check "), [])  # a number: nothing to offer
        self.assertEqual(ask("linerate sweep pairs --check "), ["0", "1"])

    def test_fish(self):
        needs("fish")
        with tempfile.NamedTemporaryFile("w", suffix=".fish") as file:
            file.write(words_of("fish"))
            file.flush()

            def ask(typed: str) -> list[str]:
                done = run(["fish", "--no-config", "-c",
                            f"source {file.name}; complete -C {shlex.quote(typed)}"])
                return [line.split("\t")[0] for line in done.stdout.splitlines()]

            self.check(ask)

    def test_zsh(self):
        needs("zsh")
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "_linerate").write_text(words_of("zsh"))

            def ask(typed: str) -> list[str]:
                done = subprocess.run(
                    ["zsh", "-f", "-c", ASK_ZSH.format(folder=folder, typed=shlex.quote(typed))],
                    capture_output=True, text=True, timeout=60, check=False)
                listed = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", " ", done.stdout).split("BEGINS")[-1]
                return listed.split()

            self.check(ask, echoes=True)


class Man(unittest.TestCase):
    def test_pages_are_set_without_a_warning(self):
        needs("groff")
        with tempfile.TemporaryDirectory() as folder:
            done = run([tool("linerate"), "docs", "man", folder])
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            pages = sorted(Path(folder).iterdir())
            for page in pages:
                with self.subTest(page=page.name):
                    done = run(["groff", "-Kutf8", "-man", "-Tutf8", "-ww", "-P-cbou", str(page)])
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertIn("NAME", done.stdout)
                    if page.name == "all_reduce_perf.1":
                        self.assertIn("-b, --minbytes SIZE", done.stdout)
        self.assertLessEqual({"linerate.1", "linerate-topo-place.1", "train_ddp.1"},
                             {page.name for page in pages})


if __name__ == "__main__":
    main()
