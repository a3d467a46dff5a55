"""steps.sh counts what fails, says why, and ends what takes too long; run.sh needs a GPU."""

import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).parent


class Steps(unittest.TestCase):
    def bash(self, script: str, seconds: int = 60) -> subprocess.CompletedProcess:
        begin = f"set -uo pipefail; . {HERE}/steps.sh; begin_part {seconds}\n"
        return subprocess.run(["bash", "-c", f"{begin}{script}\nsummary it"], capture_output=True,
                              text=True, timeout=15, check=False)

    def failures(self, script: str, seconds: int = 60) -> list[str]:
        lines = self.bash(script, seconds).stdout.splitlines()
        return [line.removeprefix("failed: ") for line in lines if line.startswith("failed: ")]

    def test_that_do_what_is_expected_pass(self):
        done = self.bash("step a true; step b --exit 0,3 bash -c 'exit 3'\n"
                         "step c --shows '^ok' --hides bad echo ok; leave_out d 'no e'")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("=== it: 3 steps, 0 failed, 1 left out", done.stdout)
        self.assertIn("left out: d (no e)", done.stdout)

    def test_that_do_not_are_named_with_the_reason(self):
        for command, reason in (
                ("bash -c 'echo why; exit 5'", "a (exit 5, 0 expected: why)"),
                ("--exit 5 true", "a (exit 0, 5 expected: )"),
                ("--shows yes echo no", "a (its output lacks 'yes')"),
                ("--hides no echo no", "a (its output has 'no')"),
                ("--limit 1 sleep 30", "a (ran past 1 s)"),
                ("/no/such/program", "a (exit 127")):
            with self.subTest(command=command):
                (failure,) = self.failures(f"step a {command}")
                self.assertTrue(failure.startswith(reason), failure)

    def test_after_the_parts_end_fail_without_being_run(self):
        self.assertEqual(self.failures("step a true", seconds=0),
                         ["a (not run: the part's time is over)"])

    def test_wait_for_nobody_that_a_command_leaves_behind(self):
        done = self.bash("step a bash -c 'setsid sleep 20 & echo started'")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_run_without_a_gpu_fails_at_once(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            scripts = folder / "tests" / "gpu"
            scripts.mkdir(parents=True)
            for script in HERE.glob("*.sh"):
                (scripts / script.name).write_text(script.read_text())
            for program in ("linerate/bin/linerate", "gpu_device", "bin/nvidia-smi"):
                (folder / program).parent.mkdir(parents=True, exist_ok=True)
                (folder / program).write_text("#!/bin/sh\necho 'No devices were found'; exit 6\n")
                (folder / program).chmod(0o755)

            done = subprocess.run(
                ["bash", scripts / "run.sh", "all"], capture_output=True, text=True, timeout=60,
                env={"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "OUT": str(folder / "out")},
                check=False)

            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("memory: 1 steps, 1 failed", done.stdout)
            self.assertIn("6 parts, 6 failed: smoke functional sanitizer memory compare tools",
                          done.stdout)
            self.assertIn("No devices", (folder / "out" / "smoke.log").read_text())


if __name__ == "__main__":
    unittest.main()
