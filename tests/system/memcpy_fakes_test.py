"""memcpy_perf as users start it, over fake GPUs of 10 GB/s, of which number 3 has a quarter."""

import os
import signal
import tempfile
import time
import unittest
from pathlib import Path

from gpus import LINERATE
from job import Job
from support import json_lines, main, run

MEMCPY = [LINERATE, "memcpy"]
SMALL = ["-b", "64K", "-n", "3"]
LIMIT_S = 60  # what hangs would take for ever
PAIRS = """by copy engine, 65536 bytes, median of 3 (GB/s)
#  GPU        0        2        3
     0      N/A    10.00     2.50
     2    10.00      N/A     2.50
     3     2.50     2.50      N/A
# sum 30.00 GB/s
# lowest 2.50 GB/s (0, 3), highest 10.00 GB/s ("""


class FakeGpus(unittest.TestCase):
    def setUp(self):
        if not Path(LINERATE).is_file():
            self.skipTest("linerate was built without the nccl backend")

    def ended(self, code: int, *words: str, fault: str = "") -> tuple[str, str, list[dict]]:
        """Output, messages and JSON Lines of a run that must end with `code`."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "copies.jsonl"
            done = run([*MEMCPY, *SMALL, *words, "--jsonl", str(file)], LIMIT_S,
                       LINERATE_FAKE_NCCL=fault)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout, done.stderr, json_lines(file) if file.exists() else []


class Matrices(FakeGpus):
    def test_every_pair_has_a_cell_and_the_matrix_its_sum_and_extremes(self):
        text, _, lines = self.ended(0, "-t", "device_to_device_memcpy_read_ce", "--gpus", "0,2,3")

        self.assertIn(PAIRS, text)
        self.assertTrue(text.endswith("# Out of bounds values : 0 OK\n"), text)
        cells = {(r["copy"]["row"], r["copy"]["column"]): r for r in lines[1:-1]}
        self.assertEqual(len(cells), 6)
        self.assertAlmostEqual(cells["0", "3"]["busbw_gbps"], 2.5, places=3)
        self.assertEqual(cells["0", "3"]["copy"]["streams"][0]["by"], "gpu3")

    def test_both_directions_add_up_over_one_interval(self):
        text, _, _ = self.ended(0, "-t", "host_bidir,d2d_bidir_write_sm", "--gpus", "0,3")

        self.assertIn("  host    20.00     5.00\n", text)
        self.assertIn("     0      N/A     5.00\n     3     5.00      N/A\n", text)

    def test_all_tests_of_all_gpus_copy_the_right_data(self):
        _, messages, lines = self.ended(0)

        results = [line for line in lines if line["kind"] == "result"]
        tests = {result["case"]["collective"] for result in results}
        self.assertEqual(len(tests), 30)
        self.assertEqual({result["wrong"] for result in results}, {0})
        self.assertEqual(messages, "")


class Faults(FakeGpus):
    def test_a_gpu_that_is_not_there_is_the_users_mistake(self):
        text, messages, lines = self.ended(2, "--gpus", "0,8")

        self.assertIn("--gpus names GPU 8, and this process sees 8", messages)
        self.assertEqual((text, lines), ("", []))

    def test_a_gpu_that_hangs_ends_the_run_and_what_was_measured_is_kept(self):
        text, messages, lines = self.ended(4, "-t", "h2d_ce,d2h_ce", "-T", "1",
                                           fault="copy_hangs=1:20")
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
        text, messages, lines = self.ended(1, "-t", "d2h_sm", fault="copy_fails=2:20")

        self.assertIn("d2h_sm, gpu2 -> host, 65536 bytes: GPU 2: the copy kernel failed:", messages)
        self.assertIn("  host    10.00    10.00      N/A", text)
        self.assertEqual([line["kind"] for line in lines], ["run", "result", "result", "end"])

    def test_wrong_data_is_found_and_named(self):
        text, messages, lines = self.ended(1, "-t", "h2d_ce", fault="copy_wrong=1")

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
