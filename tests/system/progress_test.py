"""Progress on a terminal: a line that is drawn anew each second, and what it says is left."""

import os
import pty
import re
import signal
import subprocess
import tempfile
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

from support import environment, main, tool

ERASE = "\r\x1b[K"
LEFT = re.compile(r"about (?:(\d+) min )?(\d+) s left")


@dataclass(frozen=True)
class Drawn:
    """What a terminal got, and when."""

    at_s: float
    text: str

    def left_s(self) -> float | None:
        found = LEFT.search(self.text)
        return None if found is None else 60 * int(found[1] or 0) + int(found[2])


def run_on_terminal(command: list[str], folder: str,
                    stop_after: int | None = None) -> tuple[list[Drawn], float]:
    """What the command writes to stderr, a terminal, and when it ended.

    `stop_after`: Ctrl-C comes when the line was drawn so often.
    """
    master, slave = pty.openpty()
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=slave,
                               stdin=subprocess.DEVNULL,
                               env=environment(XDG_CACHE_HOME=folder))
    os.close(slave)
    drawn = []
    try:
        while text := os.read(master, 65536):
            drawn.append(Drawn(time.monotonic() - start, text.decode()))
            if stop_after and sum("results in" in line.text for line in drawn) == stop_after:
                process.send_signal(signal.SIGINT)
    except OSError:  # how a terminal says that nobody writes to it any more
        pass
    os.close(master)
    assert process.wait(60) == (130 if stop_after else 0), drawn
    return drawn, time.monotonic() - start


class OnATerminal(unittest.TestCase):
    def drawn(self, *command: str) -> tuple[list[Drawn], float]:
        with tempfile.TemporaryDirectory() as folder:
            drawn, end_s = run_on_terminal([tool(command[0]), *command[1:]], folder)
        self.assertTrue(drawn[-1].text.endswith(ERASE), drawn[-1])
        return drawn, end_s

    def test_a_line_is_fresh_within_one_long_row(self):
        words = ["-t", "2", "-b", "16M", "-e", "16M", "-w", "100000000"]
        with tempfile.TemporaryDirectory() as folder:
            drawn, _ = run_on_terminal([tool("all_reduce_perf"), *words], folder, stop_after=5)
        shown = [line for line in drawn if ": 0 of 2 results in" in line.text]
        self.assertGreaterEqual(len(shown), 5)

    def test_what_is_left_is_said_from_the_second_result_on_and_never_nothing(self):
        drawn, _ = self.drawn("all_reduce_perf", "-t", "2", "-b", "8", "-e", "64M", "-f", "2")
        shown = [line for line in drawn if " of 48 results" in line.text]
        late = [line for line in shown if not re.search(r": [01] of", line.text)]
        self.assertTrue(late)
        self.assertTrue(all(line.left_s() for line in late if " 48 of " not in line.text), late)

    def test_pairs_and_suites_have_it_too(self):
        for words, counted in ((["p2p_perf", "-t", "3", "-e", "1M"], "of 12 results"),
                               (["linerate", "suite", "-t", "2", "-b", "4M", "-e", "4M",
                                 "-n", "20", "--collectives", "reduce,gather"],
                                "suite, gather_perf: ")):
            with self.subTest(words=words):
                drawn, _ = self.drawn(*words)
                self.assertIn(counted, "".join(line.text for line in drawn))

    def test_of_repetitions_it_tells_what_all_of_them_take(self):
        words = ["-t", "2", "-b", "8", "-e", "1M", "-f", "2", "--repeat", "2"]
        with tempfile.TemporaryDirectory() as folder:
            drawn, _ = run_on_terminal([tool("all_reduce_perf"), *words], folder)
        text = "".join(line.text for line in drawn)
        self.assertIn("all_reduce_perf: run 2 of 2, about ", text)
        self.assertIn("all_reduce_perf, run 2 of 2: 0 of 36 results", text)

    def test_copies_races_and_surveys_have_it_too(self):
        for words, counted in (
                (["memcpy_perf", "--backend", "host", "-b", "1M", "-n", "3"], "results in"),
                (["linerate", "tune", "host", "--nranks", "2", "--collectives", "all_reduce", "-b",
                  "1K", "-e", "4K"], "of 3 races in"),
                (["linerate", "topo", "--measure"], "topo --measure: ")):
            with self.subTest(words=words), tempfile.TemporaryDirectory() as folder:
                command = [tool(words[0]), *words[1:]]
                drawn, _ = run_on_terminal(command, folder)
                self.assertIn(counted, "".join(line.text for line in drawn))

    def test_it_is_off_when_asked_and_where_stderr_is_no_terminal(self):
        words = [tool("all_reduce_perf"), "-t", "2", "-b", "8", "-e", "1K", "-f", "2"]
        with tempfile.TemporaryDirectory() as folder:
            drawn, _ = run_on_terminal([*words, "--progress", "off"], folder)
            self.assertNotIn("results", "".join(line.text for line in drawn))
            log = Path(folder) / "err.txt"
            with log.open("w") as err:
                subprocess.run(words, stdout=subprocess.DEVNULL, stderr=err, env=environment(),
                               check=True)
            self.assertNotIn("results", log.read_text())


if __name__ == "__main__":
    main()
