"""GPUs on which something fails or hangs: the run ends, and says which rank and which call."""

import os
import tempfile
from pathlib import Path

from gpus import SMALL, GpuRun, on_gpus
from support import main


class Faults(GpuRun):
    LAYOUTS = (["-g", "4"], ["-t", "2", "-g", "2"])

    def failed(self, fault: str, code: int, *words: str) -> list[str]:
        texts = []
        for layout in self.LAYOUTS:
            with self.subTest(layout=layout):
                done = on_gpus("all_reduce", *SMALL, *layout, *words, LINERATE_FAKE_NCCL=fault)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertNotEqual(done.stderr, "")
                texts.append(done.stderr)
        return texts

    def test_a_call_that_fails_names_the_rank_and_the_call(self):
        for text in self.failed("call_fails=1:20", 1):
            self.assertIn("Rank 1", text)
            self.assertIn("GPU 1): ncclAllReduce failed", text)
            self.assertIn("the fake's last words", text)

    def test_a_failure_on_a_shared_gpu_ends_the_calls_of_others_before_memory_is_freed(self):
        for layout in (["-t", "2", "-g", "8"], ["-t", "16"]):
            for fault, code in (("call_fails=1:4", 1), ("async_error=1:4", 4)):
                with self.subTest(layout=layout, fault=fault):
                    done = on_gpus("all_reduce", *SMALL, *layout, "--oversubscribe",
                                   LINERATE_FAKE_NCCL=fault, LINERATE_FAKE_NCCL_VERSION="23001")
                    self.assertEqual(done.returncode, code, done.stderr)
                    self.assertIn("Rank 1", done.stderr)

    def test_a_hang_of_many_threads_still_ends_with_the_footer(self):
        done = on_gpus("all_reduce", *SMALL, "-t", "48", "--oversubscribe", "-T", "1",
                       LINERATE_FAKE_NCCL="call_hangs=1:4", LINERATE_FAKE_NCCL_VERSION="23001")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("# Collective test concluded", done.stdout)

    def test_an_initialisation_that_fails_names_the_rank(self):
        for text in self.failed("init_fails=3", 1):
            self.assertIn("Rank 3", text)
            self.assertIn("ncclCommInitRank failed", text)

    def test_an_error_of_nccls_own_threads_ends_the_call_that_it_makes_hang(self):
        for text in self.failed("async_error=2:20", 4):
            self.assertRegex(text, r"Rank 2 .*: a call under way failed: a fake error")

    def test_an_error_that_is_told_after_the_call_ends_the_run(self):
        for text in self.failed("late_error=2:20", 4):
            self.assertRegex(text, r"Rank 2 .*: a call under way failed: a fake error")

    def test_an_initialisation_that_hangs_ends_after_the_timeout(self):
        for text in self.failed("init_hangs=1", 4, "-T", "1"):
            self.assertRegex(text, "initialisation|timed out")

    def test_a_call_that_hangs_ends_after_the_timeout(self):
        for text in self.failed("call_hangs=1:20", 4, "-T", "1"):
            self.assertIn("all_reduce, 1024 bytes", text)

    def test_a_hang_asks_nccls_own_watcher(self):
        with tempfile.TemporaryDirectory() as folder:
            watcher = Path(folder) / "ncclras"
            watcher.write_text("#!/bin/sh\nprintf 'NCCL version 2.28.9\n#0-0 INCOMPLETE\n'\n")
            watcher.chmod(0o755)
            done = on_gpus("all_reduce", *SMALL, "-g", "2", "-T", "1",
                           LINERATE_FAKE_NCCL="call_hangs=1:20",
                           PATH=f"{folder}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("ncclras says:\nNCCL version 2.28.9\n#0-0 INCOMPLETE", done.stderr)


if __name__ == "__main__":
    main()
