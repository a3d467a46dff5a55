"""What a trainer shows on a terminal: a line with what is left; elsewhere nothing of it."""

import re
import tempfile
import unittest
from pathlib import Path

from progress_test import ERASE, run_on_terminal
from support import json_lines, main, run, tool

LINE = re.compile(r"train_ddp: (\d+) of 40 steps in \S.*?; loss \d\.\d{4}, \d+ tokens/s, "
                  r"\d+\.\d % exposed")


class Progress(unittest.TestCase):
    def test_has_loss_rate_exposed_share_and_what_is_left(self):
        with tempfile.TemporaryDirectory() as folder:
            jsonl = Path(folder) / "run.jsonl"
            command = [tool("train_ddp"), "-t", "2", "--steps", "40", "--jsonl", str(jsonl)]
            drawn, _ = run_on_terminal(command, folder)
            self.assertEqual(sum(line["kind"] == "step" for line in json_lines(jsonl)), 40)
        shown = [one.text for one in drawn if LINE.search(one.text)]
        self.assertGreater(len(shown), 1, drawn)
        self.assertTrue(any("about" in text and "left" in text for text in shown), shown)
        self.assertTrue(drawn[-1].text.endswith(ERASE), drawn[-1])

    def test_is_not_there_where_nobody_sees_it(self):
        done = run([tool("train_ddp"), "--steps", "3", "--backend", "host"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sum(not line.startswith("#") for line in done.stdout.splitlines()), 3)
        self.assertNotIn("\r", done.stdout)

    def test_can_be_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [tool("train_ddp"), "--steps", "3", "--backend", "host",
                       "--progress", "off"]
            drawn, _ = run_on_terminal(command, folder)
        self.assertEqual(drawn, [])


class Lists(unittest.TestCase):
    def test_name_models_data_and_backends_that_can_be_asked_for(self):
        for program in ("train_ddp", "train_fsdp"):
            done = run([tool(program), "--list"])
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            rows = [line.split() for line in done.stdout.splitlines()]
            models = {row[1]: dict(word.split("=") for word in row[2:])
                      for row in rows if row[0] == "model"}
            self.assertEqual(models["nano"]["parameters"], "842496")
            for name, sizes in models.items():
                plan = run([tool(program), "--model", name, "--dry-run"]).stdout
                self.assertIn(f"# {name}: {sizes['parameters']} parameters", plan)
            for kind, option in (("data", "--data"), ("backend", "--backend")):
                for row in rows:
                    if row[0] == kind and row[1] != "FILE":
                        done = run([tool(program), option, row[1], "--dry-run"])
                        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    main()
