"""Checkpoints as users save and resume them: complete, damaged, of another training."""

import json
import signal
import subprocess
import time

from checkpoints import LAYOUTS, TRAINING, Checkpoints, losses_of, steps_of
from support import environment, main


class Resuming(Checkpoints):
    def test_begins_anew_goes_on_and_ends_where_all_is_done(self):
        self.train(2)
        self.train(4, LAYOUTS[1], "--keep", "1", "--checkpoint-every", "1")
        self.train(4)
        self.assertEqual([step for step, _ in losses_of(self.jsonl)], [1, 2, 3, 4])
        self.assertEqual(steps_of(self.folder), [4])

    def test_needs_memory_for_one_copy_however_often_it_saves(self):
        self.train(6, LAYOUTS[0], "--checkpoint-every", "1")
        lines = [json.loads(line) for line in self.jsonl.read_text().splitlines()]
        copy = 3 * 4 * lines[0]["parameters"] // 2
        self.assertEqual(lines[-1]["peak_bytes"]["checkpoint"], copy)

    def test_ends_with_one_sentence_where_it_cannot(self):
        self.train(2)
        at = self.folder / "step-000002"
        for option, value, said in (
                ("--model", "micro", "its model is nano, and that of this run is micro."),
                ("--data", "copy", "its data is markov"), ("--batch", "4", "its batch is 3")):
            self.refused(said, "--resume", str(at), option, value)
        self.refused("it holds step 2 already", "--checkpoint", str(self.folder))
        self.refused("manifest.json': No such file", "--resume", str(self.folder))
        self.refused("--resume auto needs --checkpoint", "--resume", "auto")
        file = at / "rank-00001.bin"
        content = bytearray(file.read_bytes())
        content[99] ^= 1
        file.write_bytes(content)
        self.refused("rank-00001.bin' is damaged: the CRC-32", "--resume", str(at))
        file.write_bytes(content[:-1])
        self.refused("rank-00001.bin': it has", *self.save)
        (at / "manifest.json").write_text("[" * 100000)
        self.refused("manifest.json': it is no manifest", *self.save)

    def test_finds_what_was_done_when_it_was_interrupted(self):
        command = [*LAYOUTS[0], *TRAINING, *self.save, "--steps", "1000000", "--jsonl",
                   str(self.jsonl)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment()) as job:
            while not self.jsonl.exists() or len(losses_of(self.jsonl)) < 2:
                time.sleep(0.005)
            job.send_signal(signal.SIGINT)
        self.assertEqual(job.returncode, 130)
        self.assertEqual(steps_of(self.folder), [losses_of(self.jsonl)[-1][0]])


if __name__ == "__main__":
    main()
