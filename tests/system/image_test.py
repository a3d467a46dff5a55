"""packaging/Dockerfile in one go, on a base of the distribution, and what runs in containers of it.

LINERATE_IMAGE names an image that is built already.
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import main, needs, needs_root

ROOT = Path(__file__).resolve().parents[2]
SUITE = "bookworm"
BASE, IMAGE = "localhost/linerate-test-base", "localhost/linerate-test"
LIMIT_S = 3000
CHROOT = ("--isolation", "chroot")  # it works within containers, too
RUN = ("-b", "8", "-e", "64K", "-f", "8", "-n", "2")
CORRECT = "# Out of bounds values : 0 OK"


def command(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, check=False,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def base_image(name: str) -> None:
    """An image of what debootstrap makes."""
    folder = tempfile.mkdtemp()
    try:
        command("debootstrap", "--variant=minbase", SUITE, folder)
        container = command("buildah", "from", "scratch").strip()
        command("buildah", "add", container, folder, "/")
        command("buildah", "commit", "--rm", container, name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_image(name: str) -> None:
    """Unless it was never made."""
    subprocess.run(("buildah", "rmi", "--force", name), capture_output=True, check=False)


def build_image() -> None:
    base_image(BASE)
    command("buildah", "bud", *CHROOT, "--build-arg", f"BASE={BASE}", "--build-arg",
            f"RUN_BASE={BASE}", "-f", str(ROOT / "packaging/Dockerfile"), "-t", IMAGE, str(ROOT))


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needs_root()
        needs("buildah")
        cls.image = os.environ.get("LINERATE_IMAGE")
        if not cls.image:
            needs("debootstrap")
            cls.image = IMAGE
            for name in (BASE, IMAGE):  # the last is removed first
                cls.addClassCleanup(remove_image, name)
            build_image()

    def container(self) -> str:
        name = command("buildah", "from", self.image).strip()
        self.addCleanup(command, "buildah", "rm", name)
        return name

    def within(self, container: str, *words: str) -> str:
        return command("buildah", "run", *CHROOT, container, "--", *words)

    def test_runs_benchmarks_by_threads_and_by_mpirun(self):
        container = self.container()

        threads = self.within(container, "all_reduce_perf", "-t", "2", *RUN)
        ranks = self.within(container, "mpirun", "--oversubscribe", "-np", "2", "all_reduce_perf",
                            "--backend", "mpi", *RUN)

        self.assertIn(CORRECT, threads)
        self.assertIn(CORRECT, ranks)
        self.assertIn("mpi backend", ranks)

    def test_has_the_doctor_the_reports_and_this_version(self):
        container = self.container()
        version = re.search(r"linerate VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertIn(f"linerate {version}", self.within(container, "linerate", "--version"))
        self.assertIn("\nBackends\n", self.within(container, "linerate", "info"))
        self.within(container, "linerate", "doctor")
        self.within(container, "sh", "-c", f"all_reduce_perf -t 2 {' '.join(RUN)} --jsonl /r.jsonl"
                                           " && linerate report /r.jsonl -o /r --format html,png")
        self.assertIn("report.html", self.within(container, "ls", "/r"))

    def test_each_container_makes_host_keys_of_its_own(self):
        keys = set()
        for container in (self.container(), self.container()):
            self.assertNotIn("ssh_host_", self.within(container, "ls", "/etc/ssh"))
            self.within(container, "/usr/sbin/sshd", "-t")
            keys.add(self.within(container, "cat", "/etc/ssh/ssh_host_ed25519_key.pub"))
        self.assertEqual(len(keys), 2)


if __name__ == "__main__":
    main()
