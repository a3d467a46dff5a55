"""linerate replay: traces and words that it refuses, each in one sentence."""

import json
import tempfile
import unittest
from pathlib import Path

from replay_test import profile, replay
from support import main, run, tool

HEAD = {"kind": "comm_trace", "schema": 1, "nranks": 2, "program": "train_ddp", "backend": "host"}
GROUP = {"kind": "group", "group": 0, "ranks": [0, 1]}


def call(rank: int, **more: object) -> dict:
    return {"kind": "call", "rank": rank, "group": 0, "op": "all_reduce", "type": "float",
            "redop": "sum", "count": 8, "start_us": 1, "time_us": 1} | more


REFUSED = (
    ([HEAD, GROUP, call(0)], "Rank 1 of 2 is missing"),
    ([HEAD, GROUP, call(0), call(1, count=9)], "Ranks disagree on a call of group [0, 1]"),
    ([HEAD, GROUP, call(0), call(0), call(1)], "1 of its 2 ranks does not"),
    ([HEAD, GROUP, call(0, op="all_sum"), call(1)], "Line 3 has the unknown op 'all_sum'"),
    ([HEAD, GROUP, call(0, type="quad"), call(1)], "unknown type"),
    ([HEAD, call(0), call(1)], "has no group that a line before it defines"),
    ([HEAD, GROUP, call(0, count=1 << 38), call(1, count=1 << 38)], "do not fit"),
    ([HEAD, GROUP, call(0, count=1 << 50), call(1, count=1 << 50)], "more elements than any call"),
    ([HEAD, HEAD], "begins a second trace"),
    ([HEAD | {"nranks": 10**9}], "number of ranks from 1 to"),
    ([HEAD | {"schema": 2}], "schema"),
)


class Refused(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "comm.jsonl"

    def refused(self, why: str, *words: str) -> None:
        done = replay(*words, "-t", "2")
        said = [line for line in done.stderr.splitlines() if "note:" not in line]
        self.assertEqual((done.returncode, done.stdout, len(said)), (2, "", 1), done.stderr)
        self.assertIn(why, done.stderr)

    def write(self, lines: list[dict]) -> str:
        self.file.write_text("".join(json.dumps(x, separators=(",", ":")) + "\n" for x in lines))
        return str(self.file)

    def test_lines_that_make_no_sense(self):
        for lines, why in REFUSED:
            with self.subTest(why=why):
                self.refused(why, self.write(lines))

    def test_files_that_were_cut(self):
        self.write([HEAD, GROUP, call(0), call(1)])
        self.file.write_text(self.file.read_text()[:-9])
        self.refused("Line 4 has no end: the file was cut", str(self.file))
        self.file.write_text(json.dumps(profile(0, []))[:-9])
        self.refused("is not JSON", str(self.file))
        self.file.write_bytes(b"\x1f\x8b\x08\x00")
        self.refused("was cut", str(self.file))

    def test_files_of_the_wrong_ranks(self):
        one = [("allreduce", 8, 8, {})]
        self.file.write_text(json.dumps(profile(0, one)))
        self.refused("Rank 1 of 2 is missing", str(self.file))
        other = self.folder / "other.json"
        other.write_text(json.dumps(profile(0, one)))
        self.refused("are both of rank 0", str(self.file), str(other))
        other.write_text(json.dumps(profile(1, [("allreduce", 9, 9, {})])))
        self.refused("Ranks disagree", str(self.file), str(other))
        self.file.write_text(json.dumps(profile(0, [])))
        self.refused("names no collectives", str(self.file), str(other))

    def test_another_number_of_ranks(self):
        done = replay(self.write([HEAD, GROUP, call(0), call(1)]), "-t", "3")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("of 2 ranks, and this job has 3: start 2", done.stderr)

    def test_words(self):
        for words, why in (([], "needs a trace"), (["/nowhere"], "/nowhere"), (["/"], "directory"),
                           (["x", "--gaps", "half"], "keep, none"),
                           (["x", "--repeat", "0"], "1 to 1000")):
            with self.subTest(words=words):
                self.refused(why, *words)

    def test_words_of_trainers(self):
        for words, why in ((["--trace-comm", "/nowhere/x"], "/nowhere/x"),
                           (["--trace-comm", "x", "--no-communication"], "leave either out"),
                           (["--trace-steps", "3"], "--trace-comm")):
            done = run([tool("train_ddp"), "--steps", "1", *words])
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    main()
