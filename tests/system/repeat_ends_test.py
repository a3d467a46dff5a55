"""--repeat: what is refused, and how it ends where a run fails or somebody interrupts it."""

import signal
import subprocess
import time

from series import FAKE, SeriesTest, fake
from support import environment, json_lines, main, rows, run, tool


class RepeatEnds(SeriesTest):
    def test_a_launcher_is_told_how(self) -> None:
        done = run([tool("all_reduce_perf"), *fake("10"), "--repeat", "2"], RANK="0",
                   WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT="1234")

        self.assertEqual(done.returncode, 2)
        self.assertIn("LINERATE_STUDY=NAME:$i", done.stderr)

    def test_an_interruption_keeps_what_was_measured(self) -> None:
        path = self.folder / "r.jsonl"
        started = subprocess.Popen(
            [tool("all_reduce_perf"), "-g", "2", "-b", "64K", "-e", "64K", "-n", "2000",
             "--expect", "off", "--repeat", "500", "--jsonl", str(path)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        while not path.exists() or '"kind":"end"' not in path.read_text():
            time.sleep(0.1)
        started.send_signal(signal.SIGINT)
        out, _ = started.communicate(timeout=60)

        self.assertEqual(started.returncode, 130)
        self.assertIn("# Repeated: ", out)
        self.assertLess(len([o for o in json_lines(path) if o["kind"] == "run"]), 400)

    def test_a_failed_run_counts_where_sigchld_is_ignored(self) -> None:
        command = f"{tool('all_reduce_perf')} -g 2 --repeat 2 --jsonl /nowhere/x"

        done = run(["bash", "-c", f"trap '' CHLD; exec {command}"])

        self.assertEqual(done.returncode, 2, done.stderr)

    def test_a_folder_for_temporary_files_that_is_none_is_refused(self) -> None:
        for folder in ("/nowhere", "/proc"):
            done = run([tool("all_reduce_perf"), *fake("10"), "--repeat", "2"], TMPDIR=folder)
            self.assertEqual(done.returncode, 2, folder)
            self.assertIn("Set TMPDIR to one", done.stderr)

    def test_a_run_that_fails_ends_the_repetition(self) -> None:
        done = run([tool("all_reduce_perf"), *FAKE, "--fake", "flip=1", "--repeat", "5"])

        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(rows(done.stderr)), 2)
        self.assertIn("--repeat ends after run 1 of 5", done.stderr)

    def test_a_sweep_without_end_is_refused(self) -> None:
        done = run([tool("all_reduce_perf"), "-N", "0", "--repeat", "2"])

        self.assertEqual(done.returncode, 2)
        self.assertIn("-N/--run_cycles 0 never does", done.stderr)


if __name__ == "__main__":
    main()
