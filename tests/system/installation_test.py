"""Code is loaded from the installation that the program belongs to, and not from beside a copy."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import environment, main, needs_root, run, tool

SOMEBODY = 65534


class Copies(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        self.mark = self.root / "planted code ran"

    def plant(self) -> None:
        """A module whose constructor leaves a mark, and reports that do."""
        source = self.root / "planted.c"
        source.write_text("#include <fcntl.h>\n__attribute__((constructor)) static void run(void) "
                          f'{{ open("{self.mark}", O_CREAT | O_WRONLY, 0600); }}\n')
        (self.root / "lib").mkdir()
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.root / "lib/liblinerate-gloo.so",
                        str(source)], check=True)
        for folder in ("reports", "share/linerate/reports"):
            (self.root / folder).mkdir(parents=True)
            script = f"open({str(self.mark)!r}, 'w')\n"
            (self.root / folder / "report.py").write_text(script)

    def copy(self, folder: str, name: str) -> str:
        (self.root / folder).mkdir(parents=True)
        return shutil.copy(os.path.realpath(tool("linerate")), self.root / folder / name)

    def assert_refused(self, command: list[str], reason: str) -> None:
        done = subprocess.run(command, env=environment(), capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertFalse(self.mark.exists(), "the planted code ran")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stderr, reason)

    def test_a_copy_loads_nothing_from_beside_itself(self):
        self.plant()
        program = self.copy("x", "all_reduce_perf")
        self.assert_refused([program, "-t", "2", "--backend", "gloo"], "gloo backend is not here")

    def test_a_copy_runs_no_reports_from_beside_itself(self):
        self.plant()
        program = self.copy("a/b", "linerate")
        self.assert_refused([program, "report", "run.jsonl", "-o", "r"], "is a copy outside")

    def test_files_of_somebody_else_are_refused(self):
        needs_root()
        self.plant()
        program, perf = self.copy("bin", "linerate"), self.root / "bin" / "all_reduce_perf"
        perf.symlink_to("linerate")
        for planted in ("lib", "share"):
            os.chown(self.root / planted, SOMEBODY, SOMEBODY)
        self.assert_refused([str(perf), "-t", "2", "--backend", "gloo"], "belongs to user 65534")
        self.assert_refused([program, "report", "run.jsonl", "-o", "r"], "belongs to user 65534")

    def test_the_build_runs_its_own_reports(self):
        done = run([tool("linerate"), "report", "--help"])
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    main()
