"""What trainers keep where: an optimizer in files that are gone with the run, or refused."""

import json
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import environment, main, needs_root, run, tool

FSDP = tool("train_fsdp")
SMALL = ["--batch", "6", "--steps", "3", "--deterministic", "--assert-accounting"]


def json_of(words: list[str], folder: Path) -> list[dict]:
    """The lines of a run."""
    path = folder / "run.jsonl"
    path.unlink(missing_ok=True)
    done = run([*words, "--jsonl", str(path)])
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in path.read_text().splitlines()]


class InFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.offload = self.folder / "offload"
        self.offload.mkdir()

    def sentence(self, code: int, *command: str) -> str:
        """The only one that a run says, which ends so."""
        done = run(list(command))
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        said = [line for line in done.stderr.splitlines() if "linerate: note" not in line]
        self.assertEqual(len(said), 1, done.stderr)
        return said[0]


class Offloading(InFolder):
    def test_has_the_same_losses_and_checkpoints_without_memory(self):
        saved = ["--checkpoint", str(self.folder / "saved"), "--checkpoint-every", "2"]
        plain = json_of([FSDP, "-t", "2", *SMALL], self.folder)
        there = json_of([FSDP, "--nprocs", "2", *SMALL, *saved,
                         "--offload-optimizer", str(self.offload)], self.folder)
        again = json_of([FSDP, "-t", "3", "--zero", "1", *SMALL, "--resume",
                         str(self.folder / "saved" / "step-000002"), "--offload-optimizer",
                         str(self.offload)], self.folder)
        losses = [[line["loss"] for line in lines if line["kind"] == "step"]
                  for lines in (plain, there, again)]
        self.assertEqual(losses[1:], [losses[0], losses[0][2:]])
        self.assertEqual(there[-1]["peak_bytes"]["offloaded"],
                         plain[-1]["peak_bytes"]["optimizer"])
        self.assertEqual(there[-1]["peak_bytes"]["optimizer"], 0)

    def test_leaves_nothing_when_it_is_killed(self):
        command = [FSDP, "-t", "2", "--steps", "100000", "--offload-optimizer",
                   str(self.offload)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, env=environment()) as job:
            for line in job.stdout:
                if line.split()[0] == "2":
                    break
            self.assertEqual(list(self.offload.iterdir()), [])
            maps = Path(f"/proc/{job.pid}/maps").read_text().splitlines()
            job.kill()
        self.assertEqual(sum(str(self.offload) in line for line in maps), 2, maps)
        self.assertEqual(list(self.offload.iterdir()), [])

    def test_is_refused_at_once_where_no_file_can_be_made(self):
        for folder, why in ((self.folder / "none", "No such file or directory"),
                            (Path(FSDP), "Not a directory")):
            said = self.sentence(2, FSDP, "-t", "2", "--offload-optimizer", str(folder))
            self.assertIn(f"in a file in '{folder}': {why}.", said)

    def test_is_refused_where_the_disk_is_full(self):
        needs_root()
        command = [FSDP, "-t", "2", "--offload-optimizer", str(self.offload)]
        mount = f"mount -t tmpfs -o size=1m none {self.offload}"
        said = self.sentence(1, "unshare", "--mount", "sh", "-c",
                             f"{mount} && exec {shlex.join(command)}")
        self.assertIn("are needed, and only 1 MiB are free", said)


class Outputs(InFolder):
    def test_that_cannot_be_written_are_refused_before_ranks_start(self):
        (self.folder / "text").write_text("no JSON\n")
        for path, why in ((self.folder / "missing" / "run.jsonl", "No such file or directory."),
                          (self.folder, "Is a directory."), (self.folder / "text", "JSON Lines")):
            for layout in (["-t", "2"], ["--nprocs", "2"]):
                said = self.sentence(2, FSDP, *layout, "--jsonl", str(path))
                self.assertIn(why, said)
                self.assertNotIn("rank", said)


if __name__ == "__main__":
    main()
