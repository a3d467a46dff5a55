"""linerate info, and the table of linerate tune host that it names."""

import shutil
import tempfile
import unittest
from pathlib import Path

from support import main, needs_module, run, tool

QUICK = ("--nranks", "2", "--collectives", "scatter", "-e", "1K")


class Info(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def linerate(self, *words: str, program: str = ""):
        return run([program or tool("linerate"), *words], XDG_CACHE_HOME=self.folder)

    def test_names_the_version_of_each_backends_library(self):
        needs_module("mpi")
        said = self.linerate("info").stdout
        self.assertRegex(said, r"\nBackends\n  host +threads and processes")
        self.assertRegex(said, r"\n  mpi +Open MPI \d")

    def test_says_why_a_backend_is_not_usable(self):
        copy = shutil.copy(Path(tool("linerate")).resolve(), Path(self.folder) / "linerate")
        done = self.linerate("info", program=str(copy))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\n  mpi +not usable: The mpi backend is not here")

    def test_names_a_table_until_it_is_forgotten(self):
        self.assertEqual(self.linerate("tune", "host", *QUICK).returncode, 0)
        file, = Path(self.folder).glob("linerate/host-*.json")
        self.assertIn(f"{file}, measured 20", self.linerate("info").stdout)

        first, second = (self.linerate("tune", "host", "--forget") for _ in range(2))

        self.assertEqual((first.returncode, second.returncode), (0, 0))
        self.assertEqual(first.stdout, f"# {file} is removed; the built-in table is used\n")
        self.assertIn("there is no table of this machine", second.stdout)
        self.assertFalse(file.exists())
        self.assertRegex(self.linerate("info").stdout, r"\n  host +built in")

    def test_forget_measures_nothing(self):
        for word in ("--check", "--print-rows"):
            done = self.linerate("tune", "host", "--forget", word)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--forget measures nothing", done.stderr)


if __name__ == "__main__":
    main()
