"""The trainers' JSON Lines: the documented keys and no others, and what other commands say of them.

Also what a step's parts add up to, on every stage, with every way to overlap."""

import itertools
import re
import tempfile
import unittest
from pathlib import Path

from support import json_lines, main, run, tool

PAGE = Path(__file__).parents[2] / "docs" / "output-format.md"


def documented(heading: str) -> dict[str, set[str]]:
    """The keys of the section's tables, by the kind of line that the text above them names."""
    _, _, rest = PAGE.read_text().partition(f"\n## {heading}")
    keys: dict[str, set[str]] = {}
    for line in rest.partition("\n## ")[0].splitlines():
        if named := re.match(r"`(\w+)`[,:]", line):
            kind = named[1]
        elif line.startswith("| `"):
            keys.setdefault(kind, set()).update(re.findall(r"`(\w+)`", line.split("|")[1]))
    return keys


class Lines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.jsonl = Path(folder.name) / "run.jsonl"

    def lines(self, *command: str) -> list[dict]:
        done = run([*command, "--jsonl", str(self.jsonl)])
        self.assertEqual(done.returncode, 0, done.stderr)
        return json_lines(self.jsonl)

    def test_have_the_documented_keys(self):
        keys = documented("Steps of a trainer")
        lines = self.lines(tool("train_3d"), "-t", "4", "--pp", "2", "--zero", "3", "--steps", "2")
        self.assertEqual([line["kind"] for line in lines], ["run", "step", "step", "end"])
        for line in lines:
            self.assertEqual(set(line) - {"kind"}, keys[line["kind"]])
        for comm in lines[1]["comm"]:
            self.assertEqual(set(comm), keys["comm"])

    def test_have_the_last_step_of_a_pipeline_as_it_ran(self):
        for schedule, back, actions in (("1f1b", "backward", 2), ("zb-h1", "backward_input", 3)):
            step = self.lines(tool("train_3d"), "-t", "4", "--pp", "2", "--tp", "2", "--steps", "2",
                              "--schedule", schedule)[-1]["pipeline_step"]
            columns = ("stage", "action", "micro_batch", "start_us", "end_us")
            at = {(stage, action, number): (start, end) for stage, action, number, start, end
                  in zip(*(step[key] for key in columns), strict=True)}
            self.assertEqual(len(at), 2 * 8 * actions)
            for stage in (0, 1):
                own = sorted(times for key, times in at.items() if key[0] == stage)
                self.assertTrue(all(a[1] <= b[0] for a, b in itertools.pairwise(own)), own)
            for number in range(8):
                self.assertLess(at[0, "forward", number][1], at[1, "forward", number][1])
                self.assertLess(at[1, back, number][1], at[0, back, number][1])

    def test_of_a_run_share_its_id(self):
        self.lines(tool("train_ddp"), "--steps", "1")
        lines = self.lines(tool("train_ddp"), "--steps", "1")
        self.assertEqual([line["run_id"] == lines[0]["run_id"] for line in lines],
                         [True] * 3 + [False] * 3)

    def test_add_up_on_every_stage_however_it_overlaps(self):
        for zero in ("0", "1", "2", "3"):
            for overlap in ("on", "off", "fake"):
                self.lines(tool("train_fsdp"), "-t", "2", "--zero", zero, "--overlap", overlap,
                           "--micro-batch", "1", "--steps", "3")
        steps = [line for line in json_lines(self.jsonl) if line["kind"] == "step"]
        self.assertEqual(len(steps), 4 * 3 * 3)
        for line in steps:
            exposed = sum(one["exposed_wait_us"] + one["exposed_transfer_us"]
                          for one in line["comm"])
            self.assertAlmostEqual(exposed, line["exposed_us"], delta=1)
            parts = line["compute_us"] + exposed + line["idle_us"]
            self.assertAlmostEqual(parts / line["step_us"], 1, delta=0.01)
            self.assertGreaterEqual(line["idle_us"], 0)

    def test_are_refused_in_one_sentence_where_results_are_read(self):
        self.lines(tool("train_fsdp"), "-t", "2", "--steps", "2")
        for command in (["report", str(self.jsonl), "-o", str(self.jsonl.with_suffix(".html"))],
                        ["compare", str(self.jsonl), str(self.jsonl)]):
            done = run([tool("linerate"), *command])
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("holds steps of train_fsdp", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    main()
