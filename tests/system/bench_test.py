"""The side-by-side benchmark on a very small scale: that it runs, checks, writes, and ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path

from support import BIN, environment, json_lines, main

ROOT = Path(__file__).parents[2]
BENCH = [sys.executable, str(ROOT / "benchmarks" / "bench.py"), "--build", str(BIN.parent),
         "--only", "threads,processes"]
LIMIT_S = 120  # two seconds of work, on a machine that may be busy with more
ENDS_S = 10


def processes_that_name(text: str) -> list[str]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it has ended
            continue
        if text in words:
            found.append(words)
    return found


def wait_until(condition: Callable[[], bool], limit_s: float) -> bool:
    deadline = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


class Bench(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def test_a_short_run_writes_lines_a_picture_and_a_page(self):
        page = self.folder / "host.md"

        done = subprocess.run([*BENCH, "--plan", "smoke", "-o", str(self.folder), "--page",
                               str(page)], capture_output=True, text=True, timeout=LIMIT_S,
                              env=environment(), check=False)

        self.assertEqual(done.returncode, 0, done.stderr)
        lines = json_lines(self.folder / "bench.jsonl")
        kinds = {line["kind"] for line in lines}
        self.assertEqual(kinds, {"run", "limits", "competitor", "overhead", "cell", "block", "end"})
        cells = [line for line in lines if line["kind"] == "cell"]
        self.assertEqual({(c["competitor"], c["bytes"], c["cold"]) for c in cells},
                         {(who, size, cold) for who in ("threads", "processes")
                          for size in (64, 32 << 10) for cold in (False, True)})
        self.assertEqual({c["wrong"] for c in cells if not c["cold"]}, {0})
        self.assertTrue(all(c["median_us"] > 0 for c in cells))
        self.assertIn("# all_reduce, 2 ranks, cold, out of place", done.stdout)
        self.assertIn("### all_reduce, 2 ranks, warm, out of place", page.read_text())
        self.assertGreater((self.folder / "host.png").stat().st_size, 10_000)

    def test_no_rank_outlives_the_driver(self):
        driver = subprocess.Popen([*BENCH, "--plan", "quick", "-o", str(self.folder)],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  env=environment(TMPDIR=str(self.folder)))
        self.addCleanup(driver.wait)
        lines = self.folder / "bench.jsonl"
        started = wait_until(lambda: lines.exists() and '"processes"' in lines.read_text(), LIMIT_S)

        os.kill(driver.pid, signal.SIGKILL)

        self.assertTrue(started)
        sockets = f"--socket {self.folder}"
        self.assertTrue(wait_until(lambda: not processes_that_name(sockets), ENDS_S),
                        processes_that_name(sockets))

    def test_no_rank_waits_for_one_that_was_not_asked(self):
        path = self.folder / "socket"
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(path))
        listener.listen()
        program = BIN.parent / "benchmarks" / "bin" / "bench_peer"
        peer = subprocess.Popen([str(program), "--nthreads", "2", "--backend", "host",
                                 "--buffer-bytes", "4096", "--socket", str(path)],
                                env=environment(), stderr=subprocess.DEVNULL)
        self.addCleanup(peer.kill)
        ranks = [listener.accept()[0] for _ in range(2)]
        greetings = [json.loads(rank.recv(4096)) for rank in ranks]

        ranks[[greeting["rank"] for greeting in greetings].index(0)].sendall(
            json.dumps({"collective": "all_reduce", "type": "float", "op": "sum", "root": 0,
                        "bytes": 1024, "placement": "out_of_place", "cold": False, "verify": False,
                        "loop": "bare", "iters": 1, "warmup": 1, "windows": 1}).encode() + b"\n")
        for rank in ranks:
            rank.close()

        peer.wait(ENDS_S)


if __name__ == "__main__":
    main()
