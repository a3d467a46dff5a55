"""linerate compare --turns windows: commands that run at the same time and take turns."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

from series import SeriesTest, changes, shell, sides_by_time
from support import environment, json_lines, main, run, tool

WINDOWS = [tool("linerate"), "compare", "--turns", "windows"]


class Windows(SeriesTest):
    def test_both_run_at_once_and_are_compared_in_pairs(self) -> None:
        keep = self.folder / "kept"

        done = run([*WINDOWS, "--run", shell("10"), "--run", shell("5"), "--repeat", "8", "--keep",
                    str(keep), "--gate"])

        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("8 runs | 8 runs, in turns at windows, 8 blocks", done.stdout)
        for side in ("a", "b"):
            lines = [o for o in json_lines(keep / f"{side}.jsonl") if o["kind"] == "run"]
            self.assertEqual([o["repeat"] for o in lines], list(range(1, 9)))
            self.assertEqual({o["turns"] for o in lines}, {"windows"})
        again = json.loads(run([WINDOWS[0], "compare", str(keep / "a.jsonl"),
                                str(keep / "b.jsonl"), "--json"]).stdout)
        self.assertEqual((again["turns"], again["blocks"]), ("windows", 8))

    def test_samples_of_one_side_lie_between_those_of_the_other(self) -> None:
        keep = self.folder / "kept"
        command = (f'{tool("all_reduce_perf")} -t 2 -b 1K -e 64K -f 4 --backend host --expect off '
                   "-n 1000")

        done = run([*WINDOWS, "--run", command, "--run", command, "--repeat", "1", "--keep",
                    str(keep)])

        self.assertEqual(done.returncode, 0, done.stderr)
        ends = sides_by_time(keep)
        self.assertEqual(len(ends), 16)
        self.assertGreaterEqual(changes(ends), 12)

    def test_a_command_that_takes_no_turns_is_refused_and_not_kept(self) -> None:
        for command in (f"unset LINERATE_TURNS; {shell('5')}", "echo no table"):
            keep = self.folder / "kept"

            done = run([*WINDOWS, "--run", shell("10"), "--run", command, "--keep", str(keep)])

            self.assertEqual(done.returncode, 2)
            self.assertIn(f"'{command}' takes no turns at windows", done.stderr)
            self.assertFalse(keep.exists())

    def test_either_side_is_started_first(self) -> None:
        a, b = (self.folder / side for side in "ab")
        commands = [word for file, bandwidth in ((a, "10"), (b, "5"))
                    for word in ("--run", f"echo $$ >> {file}; {shell(bandwidth)}")]

        done = run([*WINDOWS, *commands, "--repeat", "4", "--seed", "1", "--progress", "on"])

        self.assertEqual(done.returncode, 0, done.stderr)
        started = [a.read_text().split(), b.read_text().split()]
        a_first = [int(of_a) < int(of_b) for of_a, of_b in zip(*started, strict=True)]
        self.assertEqual(set(a_first), {True, False})
        self.assertIn("run 4 of 4", done.stderr)

    def test_sides_whose_table_is_read_take_turns_too(self) -> None:
        command = f"{shell('10')} --jsonl {self.folder / 'own'}"

        done = run([*WINDOWS, "--run", command, "--run", command, "--repeat", "2", "--json"])

        self.assertEqual(json.loads(done.stdout)["turns"], "windows", done.stderr)

    def test_a_command_that_fails_ends_the_other(self) -> None:
        began = time.monotonic()

        done = run([*WINDOWS, "--run", "sleep 60", "--run", "echo broken >&2; exit 7"])

        self.assertEqual(done.returncode, 1)
        self.assertIn("broken", done.stderr)
        self.assertIn("'echo broken >&2; exit 7' ended with exit code 7", done.stderr)
        self.assertLess(time.monotonic() - began, 30)

    def test_nothing_is_left_of_a_side_however_early_the_other_fails(self) -> None:
        sides = ["--run", f"sleep 61.{os.getpid()}; true", "--run", "exit 7"]
        for files in [*range(6, 13)] + [1024] * 20:
            done = run(["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *WINDOWS, *sides])
            self.assertEqual(done.returncode, 1)
            self.assertNotIn("interrupted", done.stderr)
        left = run(["sh", "-c", f"grep -las '[6]1.{os.getpid()}' /proc/[0-9]*/cmdline"])
        self.assertEqual(left.stdout, "")

    def test_one_command_alone_is_refused(self) -> None:
        done = run([*WINDOWS, "file.jsonl", "--run", "true"])

        self.assertEqual(done.returncode, 2)
        self.assertIn("--turns windows is between two --run", done.stderr)

    def test_an_interruption_ends_both(self) -> None:
        keep = self.folder / "kept"
        started = subprocess.Popen(
            [*WINDOWS, "--run", shell("10"), "--run", shell("5"), "--repeat", "5000", "--keep",
             str(keep)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment())
        while not Path(keep / "b.jsonl").exists():
            time.sleep(0.1)
        started.send_signal(signal.SIGINT)
        out, _ = started.communicate(timeout=20)

        self.assertEqual(started.returncode, 130)
        self.assertIn("# A: ", out)


if __name__ == "__main__":
    main()
