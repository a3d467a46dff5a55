"""memcpy_perf on fake GPUs on which a copy fails, hangs or goes wrong, and when it is stopped."""

import os
import signal
import tempfile
import time
from pathlib import Path

from fake_copies import LIMIT_S, MEMCPY, FakeCopies
from job import Job
from support import json_lines, main


class Faults(FakeCopies):
    def test_a_gpu_that_is_not_there_is_the_users_mistake(self):
        text, messages, lines = self.ended(2, "--gpus", "0,8")

        self.assertIn("--gpus names GPU 8, and this process sees 8", messages)
        self.assertEqual(text, "")
        self.assertEqual([line["kind"] for line in lines], ["run", "end"])
        self.assertIn("--gpus names GPU 8", lines[-1]["error"])

    def test_a_gpu_that_hangs_ends_the_run_and_what_was_measured_is_kept(self):
        text, messages, lines = self.ended(4, "-t", "h2d_ce,d2h_ce", "-T", "1",
                                           LINERATE_FAKE_NCCL="copy_hangs=1:20")
        sentence = "h2d_ce, host -> gpu1, 65536 bytes: GPU 1 did not end the copies within 1 s"

        self.assertIn(sentence, messages)
        self.assertEqual(messages.count("\n"), 1, messages)
        self.assertIn("  host    10.00      N/A", text)
        self.assertIn("\n# Out of bounds values : 0 FAILED\n# error: " + sentence, text)
        self.assertNotIn("# d2h_ce", text)
        self.assertEqual([line["kind"] for line in lines], ["run", "result", "end"])
        self.assertEqual(lines[-1]["exit_code"], 4)
        self.assertIn(sentence, lines[-1]["error"])

    def test_a_copy_that_fails_names_the_gpu_and_the_call(self):
        text, messages, lines = self.ended(1, "-t", "d2h_sm", LINERATE_FAKE_NCCL="copy_fails=2:20")

        self.assertIn("d2h_sm, gpu2 -> host, 65536 bytes: GPU 2: the copy kernel failed:", messages)
        self.assertIn("  host    10.00    10.00      N/A", text)
        self.assertEqual([line["kind"] for line in lines], ["run", "result", "result", "end"])

    def test_wrong_data_is_found_and_named(self):
        text, messages, lines = self.ended(1, "-t", "h2d_ce", LINERATE_FAKE_NCCL="copy_wrong=1")

        self.assertIn("wrong data in h2d_ce, 65536 bytes, host -> gpu1: the first of 1", messages)
        self.assertIn("# Out of bounds values : 1 FAILED\n", text)
        self.assertEqual([line["wrong"] for line in lines[1:-1]], [0, 1] + 6 * [0])

    def test_an_interrupted_run_ends_as_a_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(Path(folder), [*MEMCPY, "-b", "16", "-n", "2000"])
            end = time.monotonic() + LIMIT_S
            while not job.jsonl.exists() or job.jsonl.read_text().count("\n") < 2:
                self.assertLess(time.monotonic(), end, job.err.read_text())
                time.sleep(0.01)
            os.kill(job.process.pid, signal.SIGINT)
            code, _ = job.end(LIMIT_S)
            last = json_lines(job.jsonl)[-1]
            text = job.out.read_text()

        self.assertEqual((code, last["kind"], last["exit_code"]), (130, "end", 130))
        self.assertIn("# Out of bounds values : 0 OK\n# error: interrupted by a signal", text)


if __name__ == "__main__":
    main()
