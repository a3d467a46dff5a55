"""Each package in a root that has nothing else: installed, run, removed."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BIN, main, needs, needs_root

ROOT = Path(__file__).resolve().parents[2]
SUITE = "bookworm"
LIMIT_S = 600
RUN = ["all_reduce_perf", "-t", "2", "-b", "8", "-e", "64K", "-f", "8", "-n", "2"]


class Packages(unittest.TestCase):
    """One root for all: debootstrap takes a minute, and fetches from the distribution."""

    @classmethod
    def setUpClass(cls):
        needs_root()
        for program in ("debootstrap", "cpack", "rpmbuild", "rpm"):
            needs(program)
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.packages = cls.folder / "packages"
        cls.command("cpack", "-B", str(cls.packages), "-G", "TGZ;DEB;RPM", cwd=BIN.parent)
        cls.clean = cls.folder / "clean"
        cls.command("debootstrap", "--variant=minbase", SUITE, str(cls.clean))

    @staticmethod
    def command(*words: str, cwd: Path | None = None) -> str:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, check=False,
                              env={"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin",
                                   "DEBIAN_FRONTEND": "noninteractive"}, cwd=cwd)
        assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.stdout

    def root(self) -> Path:
        root = Path(tempfile.mkdtemp(dir=self.folder))
        self.addCleanup(shutil.rmtree, root, ignore_errors=True)
        self.command("cp", "-a", f"{self.clean}/.", str(root))
        (root / "proc" / "self").mkdir(parents=True, exist_ok=True)
        return root

    def within(self, root: Path, *words: str) -> str:
        """With a /proc and a /dev/shm of its own, which end with the command."""
        return self.command("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
                            f'mount -t proc none "{root}/proc" && mkdir -p "{root}/dev/shm" && '
                            f'mount -t tmpfs none "{root}/dev/shm" && exec chroot "{root}" "$@"',
                            "sh", *words)

    def check_runs(self, root: Path, prefix: str = "usr") -> None:
        def linerates(program: str, *words: str) -> str:
            return self.within(root, f"/{prefix}/bin/{program}", *words)

        self.assertIn("# Out of bounds values : 0 OK", linerates(*RUN))
        info = linerates("linerate", "info")
        self.assertRegex(info, r"mpi +Open MPI 4")
        self.assertRegex(info, r"gloo +Gloo 0")
        linerates("linerate", "doctor")
        self.assertIn("tokens/s", linerates("train_ddp", "--model", "nano", "-t", "2",
                                            "--steps", "2"))
        for text in ("man/man1/linerate.1", "bash-completion/completions/all_reduce_perf",
                     "zsh/site-functions/_linerate", "fish/vendor_completions.d/linerate.fish",
                     "doc/linerate/LICENSE"):
            share = root / prefix / "share"
            self.assertTrue((share / text).exists() or (share / f"{text}.gz").exists(), text)

    def install_debs(self, root: Path) -> None:
        for package in self.packages.glob("*.deb"):
            shutil.copy(package, root / "tmp")
        self.within(root, "sh", "-c", "apt-get update -qq && apt-get install -y -qq "
                                      "--no-install-recommends /tmp/*.deb")

    def check_module(self, root: Path, prefix: str) -> None:
        self.within(root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "lmod")
        found = self.within(root, "bash", "-c", ". /etc/profile.d/lmod.sh && module use "
                                                f"{prefix}/share/linerate/modulefiles && module "
                                                "load linerate && type -P all_reduce_perf")
        self.assertEqual(found, f"{prefix}/bin/all_reduce_perf\n")

    def test_debs_bring_what_they_need_and_leave_nothing(self):
        root = self.root()
        self.install_debs(root)

        self.check_runs(root)
        self.within(root, "sh", "-c", "apt-get purge -y -qq 'linerate*'")

        left = [path for path in (root / "usr").rglob("*linerate*") if path.is_file()]
        self.assertEqual(left, [])

    def test_uninstall_leaves_nothing(self):
        image = self.folder / "image"
        for what in ("install", "uninstall"):
            self.command("make", "-C", str(ROOT), what, f"DESTDIR={image}", "PREFIX=/usr")
            left = [path for path in image.rglob("*") if not path.is_dir()]
            self.assertEqual(bool(left), what == "install", left)

    def test_the_archive_and_the_rpms_run_where_their_libraries_are(self):
        libraries = self.root()
        self.install_debs(libraries)
        self.within(libraries, "sh", "-c", "dpkg --purge --force-depends $(dpkg-query -W -f "
                                           "'${Package} ' 'linerate*')")
        archive, = self.packages.glob("*.tar.gz")
        self.command("tar", "-xzf", str(archive), "-C", str(libraries / "opt"))
        folder, = (libraries / "opt").iterdir()
        self.check_runs(libraries, f"opt/{folder.name}")
        self.check_module(libraries, f"/opt/{folder.name}")

        rpms = [str(path) for path in self.packages.glob("*.rpm")]
        self.command("rpm", "--root", str(libraries), "--install", "--nodeps", *rpms)
        self.check_runs(libraries)


if __name__ == "__main__":
    main()
