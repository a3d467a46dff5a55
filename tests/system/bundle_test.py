"""The bundle runs in a root that holds nothing but it, a shell, and the C library."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from newer_glibc import ask_for_a_newer_c_library
from support import BIN, environment, main, needs, needs_root, rows

ROOT = Path(__file__).parents[2]
HOST_TOOLS = ("/bin/sh", "getconf", "readlink", "dirname", "basename")
C_LIBRARY = ("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux")


def libraries_of(program: Path) -> list[Path]:
    lines = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True)
    words = [word for line in lines.stdout.splitlines() for word in line.split()]
    return [Path(word) for word in words if word.startswith("/")]


def add(source: Path, root: Path) -> None:
    target = root / source.relative_to("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


class Bundle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needs("patchelf")
        cls.folder = tempfile.TemporaryDirectory(dir=BIN.parent)
        bundle = Path(cls.folder.name) / "root" / "bundle"
        subprocess.run([str(ROOT / "cmake" / "bundle.sh"), str(BIN.parent),
                        str(bundle)], cwd=ROOT, check=True, capture_output=True)
        cls.bundle = bundle

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def clean_root(self) -> Path:
        root = self.bundle.parent
        for name in HOST_TOOLS:
            tool = Path(shutil.which(name))
            add(tool, root)
            for library in libraries_of(tool):
                add(library, root)
        for library in libraries_of(BIN / "linerate"):
            if library.name.startswith(C_LIBRARY):
                add(library, root)
        for name in ("proc", "dev", "tmp"):
            (root / name).mkdir(exist_ok=True)
        return root

    def run_in(self, root: Path, *words: str) -> subprocess.CompletedProcess:
        mounts = f"mount --rbind /proc {root}/proc && mount --rbind /dev {root}/dev"
        return subprocess.run(["unshare", "--mount", "sh", "-c",
                               f'{mounts} && exec chroot {root} "$@"', "sh", *words],
                              capture_output=True, text=True, timeout=60, env=environment(),
                              check=False)

    def test_runs_in_a_clean_root(self):
        needs_root()
        root = self.clean_root()
        done = self.run_in(root, "/bundle/bin/all_reduce_perf", "--backend", "host", "-b", "1K",
                           "-e", "4K", "-f", "2", "-g", "2", "-n", "5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row.out_of_place[3] for row in rows(done.stdout)], ["0", "0", "0"])

    def test_modules_come_with_it_and_mpi_does_not(self):
        names = {path.name for path in (self.bundle / "libexec/linerate/lib").iterdir()}
        here = {path.name for path in (BIN.parent / "lib").glob("liblinerate-*.so")}
        self.assertLessEqual(here, names)
        self.assertFalse([name for name in names if name.startswith("libmpi.so")])

    def run_without_getconf(self, bundle: Path) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("readlink", "dirname", "basename"):
                (Path(folder) / name).symlink_to(shutil.which(name))
            return subprocess.run([str(bundle / "bin" / "all_reduce_perf"), "--version"],
                                  capture_output=True, text=True, check=False,
                                  env=environment(PATH=folder))

    def test_without_getconf_it_runs_too(self):
        done = self.run_without_getconf(self.bundle)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("linerate", done.stdout)

    def test_without_getconf_the_loader_tells_of_an_older_c_library(self):
        with tempfile.TemporaryDirectory(dir=self.folder.name) as folder:
            copy = shutil.copytree(self.bundle, Path(folder) / "bundle", symlinks=True)
            ask_for_a_newer_c_library(copy / "libexec/linerate/bin/linerate")
            done = self.run_without_getconf(copy)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stderr, r"^linerate: this host has an older glibc, and the bundle "
                                      r"needs 2\.\d+ or newer: .*\n$")

    def test_an_older_c_library_is_told_in_one_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            getconf = Path(folder) / "getconf"
            getconf.write_text("#!/bin/sh\necho glibc 2.17\n")
            getconf.chmod(0o755)
            done = subprocess.run([str(self.bundle / "bin" / "all_reduce_perf")],
                                  capture_output=True, text=True, check=False,
                                  env=environment(PATH=f"{folder}:{os.environ['PATH']}"))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stderr, r"^linerate: this host has glibc 2.17, and the bundle needs "
                                      r"2\.\d+ or newer: .*\n$")


if __name__ == "__main__":
    main()
