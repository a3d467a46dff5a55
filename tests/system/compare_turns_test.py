"""linerate compare --run: commands that take turns, and what becomes of them."""

import json
import signal
import subprocess
import time
from pathlib import Path

from series import SeriesTest, fake, shell
from support import environment, json_lines, main, run, tool

COMPARE = [tool("linerate"), "compare"]


class Turns(SeriesTest):
    def test_commands_take_turns_and_are_kept(self) -> None:
        keep = self.folder / "kept"

        done = run([*COMPARE, "--run", shell("10"), "--run", shell("5"), "--repeat", "6", "--seed",
                    "3", "--keep", str(keep), "--progress", "on", "--gate"])

        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("6 runs | 6 runs, in turns, 3 blocks", done.stdout)
        self.assertIn("run 12 of 12", done.stderr)
        self.assertRegex(done.stderr, r"run 2 of 12 \([AB]\), about \d+ s left")
        starts = []
        for side in ("a", "b"):
            lines = [o for o in json_lines(keep / f"{side}.jsonl") if o["kind"] == "run"]
            self.assertEqual([o["repeat"] for o in lines], [1, 2, 3, 4, 5, 6])
            starts += [(o["start_time"], side) for o in lines]
        order = "".join(side for _, side in sorted(starts))
        self.assertEqual([order[i:i + 4].count("a") for i in (0, 4, 8)], [2, 2, 2])
        again = run([*COMPARE, str(keep / "a.jsonl"), str(keep / "b.jsonl"), "--json"])
        self.assertEqual(json.loads(again.stdout)["blocks"], 3)

    def test_what_is_kept_belongs_to_its_side(self) -> None:
        a = self.series("a.jsonl", "10", 1, 2)
        before = Path(a).read_text()

        done = run([*COMPARE, a, "--run", shell("10"), "--repeat", "2", "--keep",
                    str(self.folder)])
        again = run([*COMPARE, str(self.folder / "b.jsonl"), "--run", shell("10"), "--keep",
                     str(self.folder)])

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(Path(a).read_text(), before)
        self.assertEqual(len([o for o in json_lines(self.folder / "b.jsonl")
                              if o["kind"] == "run"]), 2)
        self.assertEqual(again.returncode, 2)
        self.assertIn("b.jsonl' is compared", again.stderr)

    def test_a_command_that_only_prints_a_table_is_read(self) -> None:
        table = self.folder / "table.txt"
        table.write_text(run([tool("all_reduce_perf"), *fake("10")]).stdout)

        done = run([*COMPARE, "--run", f"cat {table}", "--run", f"cat {table}", "--repeat", "2",
                    "--json"])

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["statistic"], "window")
        self.assertEqual(json.loads(done.stdout)["blocks"], 1)

    def test_a_command_that_fails_is_named_with_its_words(self) -> None:
        done = run([*COMPARE, "--run", "echo broken >&2; exit 7", "--run", "exit 7"])

        self.assertEqual(done.returncode, 1)
        self.assertIn("ended with exit code 7", done.stderr)

    def test_an_exit_code_counts_where_sigchld_is_ignored(self) -> None:
        command = f"trap '' CHLD; exec {tool('linerate')} compare --run 'exit 7' --run 'exit 7'"

        done = run(["bash", "-c", command])

        self.assertEqual(done.returncode, 1)
        self.assertIn("ended with exit code 7", done.stderr)

    def test_a_command_that_prints_nothing_is_refused(self) -> None:
        done = run([*COMPARE, "--run", "true", "--run", "true"])

        self.assertEqual(done.returncode, 2)
        self.assertIn("stdout of true", done.stderr)

    def test_an_interruption_compares_what_there_is(self) -> None:
        keep = self.folder / "kept"
        started = subprocess.Popen(
            [*COMPARE, "--run", f"{shell('10')}; sleep 0.2", "--run", f"{shell('5')}; sleep 0.2",
             "--repeat", "50", "--keep", str(keep)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        while len(list(keep.glob("*.jsonl"))) < 2:
            time.sleep(0.1)
        started.send_signal(signal.SIGINT)
        out, _ = started.communicate(timeout=20)

        self.assertEqual(started.returncode, 130)
        self.assertIn("# A: ", out)
        self.assertIn("Too few runs", out)

    def test_one_command_becomes_a_baseline_and_is_compared_with_another(self) -> None:
        state = str(self.folder / "state")

        kept = run([*COMPARE, "--run", shell("10"), "--repeat", "5", "--save-baseline", "one"],
                   XDG_STATE_HOME=state)
        done = run([*COMPARE, "one", "--run", shell("5"), "--repeat", "5", "--gate"],
                   XDG_STATE_HOME=state)

        self.assertEqual(kept.returncode, 0, kept.stderr)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("not in turns", done.stdout)
        self.assertIn("All runs of one side came before", done.stdout)


if __name__ == "__main__":
    main()
