"""linerate plan: this machine is measured once, platforms need not be here, refusals say why."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import main, run, tool

LINERATE = tool("linerate")
TINY = ["--model", "nano", "--layers", "2", "--hidden", "64", "--heads", "2", "--seq", "32"]


def plan(*words: str) -> subprocess.CompletedProcess:
    """A finished call of linerate plan."""
    return run([LINERATE, "plan", *words], limit_s=300)


class Plan(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "machine.json"

    def test_measures_nothing_of_what_does_not_fit_here(self) -> None:
        done = plan("--model", "gpt3-175b", "--ranks", "2", "--batch", "4", "--measured",
                    str(self.file))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertNotIn("measuring", done.stderr)
        self.assertIn("does not fit", done.stdout)
        self.assertFalse(self.file.exists())

    def test_measures_this_machine_once_and_names_layouts_that_train(self) -> None:
        words = [*TINY, "--ranks", "2", "--batch", "4", "--measured", str(self.file), "--json"]

        first, again = plan(*words), plan(*words)

        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("measuring", first.stderr)
        self.assertNotIn("measuring", again.stderr)
        found = json.loads(first.stdout)
        self.assertEqual(len(found["best"]), 10)
        self.assertEqual(json.loads(again.stdout)["best"], found["best"])
        steps = [row["step_us"] for row in found["best"]]
        self.assertEqual(steps, sorted(steps))
        for row in found["best"]:
            self.assertAlmostEqual(sum(row["parts_us"].values()), row["step_us"], places=3)
        measured = json.loads(self.file.read_text())
        self.assertTrue(measured["kernels"])
        self.assertEqual({row[1] for row in measured["calls"]}, {2})

    def test_a_trainer_takes_the_best_layout(self) -> None:
        words = [*TINY, "--batch", "4"]
        best = json.loads(plan(*words, "--ranks", "2", "--measured", str(self.file), "--most", "1",
                               "--json").stdout)["best"][0]
        study = self.file.with_suffix(".yaml")
        study.write_text(f"distributed_strategy: auto\nplan: {self.file}\nsteps: 1\n")

        done, alone = (run([tool("train_3d"), "-t", ranks, *words, "--config", str(study)])
                       for ranks in ("2", "1"))

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"the plan is {best['options']}\n", done.stderr)
        self.assertEqual(alone.returncode, 2)
        self.assertIn("it was measured with 2 ranks, and 1 train", alone.stderr)

    def test_plans_for_a_platform_that_is_not_here(self) -> None:
        words = ["--model", "gpt3-22b", "--platform", "dgx-a100", "--ranks", "8", "--batch", "8"]

        table, layout = plan(*words), plan(*words, "--explain", "--tp 8 --micro-batch 1")

        self.assertEqual(table.returncode, 0, table.stderr)
        rows = [line for line in table.stdout.splitlines() if not line.startswith("#")]
        self.assertEqual(len(rows), 10)
        self.assertIn("does not fit, of a model cut over 1", table.stdout)
        self.assertEqual(layout.returncode, 0, layout.stderr)
        self.assertIn("bound by tp comm", layout.stdout)

    def test_says_what_is_needed_where_nothing_fits(self) -> None:
        done = plan("--model", "gpt3-175b", "--platform", "dgx-a100", "--ranks", "8")

        self.assertEqual(done.returncode, 1)
        self.assertIn("no layout fits", done.stderr)
        self.assertIn("at least (", done.stdout)

    def test_refuses_in_one_sentence_with_the_choices(self) -> None:
        platform = ["--platform", "dgx-a100"]
        for words, sentence in (
            (["--ranks", "8"], "--model"),
            (["--model", "gpt-3", "--ranks", "8"], "gpt3-175b"),
            (["--model", "nano", "--ranks", "12", *platform], "a multiple of 8"),
            (["--model", "nano", "--ranks", "8", *platform, "--explain", "--tp 3"],
             "--explain: --tp 3 does not divide 8 ranks; choices: 1, 2, 4, 8."),
            (["--model", "nano", "--ranks", "2", "--measured", "/etc/passwd"], "/etc/passwd is no"),
            (["--model", "nano", "--ranks", "8", "--platform", "dgx-a10"], "dgx-a100"),
            (["--model", "nano", "--ranks", "4", "--explain", "--pp 2 --order dp"],
             "--explain: --order dp says nothing of pp"),
            (["--model", "nano", "--ranks", "4", "--explain", "--rank-order place.json"],
             "say --order"),
            (["--model", "nano", "--ranks", "8", "--attention", "unfused", *platform],
             "--attention unfused is for --explain"),
        ):
            with self.subTest(words=words):
                done = plan(*words)

                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, "")
                self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
                self.assertIn(sentence, done.stderr)


if __name__ == "__main__":
    main()
