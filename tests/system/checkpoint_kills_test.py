"""Training that is killed at any moment of a save goes on, and loses no complete checkpoint."""

import contextlib
import json
import os
import random
import signal
import subprocess
import time
import zlib

from checkpoints import LAYOUTS, TRAINING, Checkpoints, losses_of, steps_of
from support import environment, main

KILLS = int(os.environ.get("LINERATE_KILLS", "20"))  # 50 in the full suite
SEED = int(os.environ.get("LINERATE_SEED", "16"))
LATEST_KILL_S = 0.4  # behind the first step


class Kills(Checkpoints):
    def check_files(self, step: int) -> None:
        folder = self.folder / f"step-{step:06}"
        manifest = json.loads((folder / "manifest.json").read_text())
        self.assertEqual(manifest["step"], step)
        files = [(folder / f"rank-{rank:05}.bin").read_bytes()
                 for rank in range(len(manifest["files"]))]
        self.assertEqual([len(file) for file in files], manifest["files"])
        for chunk in manifest["chunks"]:
            end = chunk["offset"] + 4 * chunk["count"]
            content = files[chunk["file"]][chunk["offset"]:end]
            self.assertEqual(zlib.crc32(content), chunk["crc32"])

    def kill_during_saves(self, layout: list[str], moment: float) -> None:
        command = [*layout, *TRAINING, *self.save, "--checkpoint-every", "1", "--keep", "2",
                   "--steps", "1000000", "--jsonl", str(self.jsonl)]
        before = self.steps_written()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=environment(), start_new_session=True) as job:
            try:
                while self.steps_written() == before:
                    self.assertIsNone(job.poll(), job.stderr)
                    time.sleep(0.005)
                time.sleep(moment)
            finally:
                os.killpg(job.pid, signal.SIGKILL)
        self.wait_for_all_of(job.pid)
        text = self.jsonl.read_text()  # a kill may tear the line that was being written
        self.jsonl.write_text(text[:text.rfind("\n") + 1])

    def steps_written(self) -> int:
        return self.jsonl.read_text().count('"kind":"step"') if self.jsonl.exists() else 0

    def wait_for_all_of(self, group: int) -> None:
        end = time.monotonic() + 30
        with contextlib.suppress(ProcessLookupError):
            while time.monotonic() < end:
                os.killpg(group, 0)
                time.sleep(0.002)

    def test_lose_nothing_that_was_complete(self):
        rng = random.Random(SEED)
        newest = incomplete = 0
        for number in range(KILLS):
            moment = rng.uniform(0, LATEST_KILL_S)
            with self.subTest(number=number, moment=round(moment, 3)):
                self.kill_during_saves(LAYOUTS[number % len(LAYOUTS)], moment)
                steps = steps_of(self.folder)
                self.assertLessEqual(len(steps), 3)
                for step in steps:
                    self.check_files(step)
                self.assertGreaterEqual(steps[-1] if steps else 0, newest)
                newest = steps[-1] if steps else 0
                incomplete += len(list(self.folder.glob("*.partial")))
        self.assertGreater(newest, 0)
        self.assertGreater(incomplete, 0)  # or no kill came during a save
        print(f"\n{KILLS} kills, {incomplete} during a save, {newest} steps")
        self.train(newest + 2)
        self.assertEqual(list(self.folder.glob("*.partial")), [])

        resumed = losses_of(self.jsonl)
        self.folder, self.jsonl = self.folder / "whole", self.folder / "whole.jsonl"
        self.save = []
        self.train(newest + 2)
        self.assertEqual(set(losses_of(self.jsonl)) - set(resumed), set())
        self.assertEqual(len({step for step, _ in resumed}), len(set(resumed)))


if __name__ == "__main__":
    main()
