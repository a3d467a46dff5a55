"""Ctrl-C and SIGTERM while GPUs work: the first waits for the call under way, a second does not."""

import os
import signal
import tempfile
import time
from pathlib import Path

from gpus import LINERATE, GpuRun
from job import LONG_SWEEP, Job
from support import main

ANSWER = "interrupted: waiting for the calls under way; once more to end at once"


class Signals(GpuRun):
    LAYOUTS = (["-g", "2"], ["-t", "2"])

    def started(self, folder: str, layout: list[str], fault: str = "") -> Job:
        job = Job(Path(folder), ["env", f"LINERATE_FAKE_NCCL={fault}", LINERATE, "all_reduce",
                                 "--backend", "nccl", *LONG_SWEEP, *layout])
        self.addCleanup(job.stop)
        job.wait_for_rows(0 if fault else 2)
        return job

    def test_one_ends_the_run_after_its_case(self):
        for layout in self.LAYOUTS:
            with self.subTest(layout=layout), tempfile.TemporaryDirectory() as folder:
                job = self.started(folder, layout)
                os.kill(job.process.pid, signal.SIGINT)
                code, _ = job.end(30)
                self.assertEqual(code, 130, job.err.read_text())
                self.assertIn("# Out of bounds values : 0 OK", job.out.read_text())
                self.assertIn(ANSWER, job.err.read_text())

    def test_a_second_one_ends_a_call_that_hangs(self):
        for layout in self.LAYOUTS:
            for number in (signal.SIGINT, signal.SIGTERM):
                with (self.subTest(layout=layout, number=number),
                      tempfile.TemporaryDirectory() as folder):
                    job = self.started(folder, layout, "call_hangs=1:2000")
                    job.wait_until_still(2)  # a row takes milliseconds
                    os.kill(job.process.pid, number)
                    job.wait_for_error(ANSWER)
                    time.sleep(1)  # the same request comes within half of it
                    self.assertIsNone(job.process.poll(), job.err.read_text())
                    os.kill(job.process.pid, number)
                    code, _ = job.end(10)
                    self.assertEqual(code, 130, job.err.read_text())


if __name__ == "__main__":
    main()
