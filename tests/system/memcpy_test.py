"""memcpy_perf where there may be no GPU: copies in the host's memory, lists, refusals, files."""

import csv
import re
import tempfile
import unittest
from pathlib import Path

from support import BIN, json_lines, main, needs_module, run, tool

MEMCPY = tool("memcpy_perf")
HOST = [MEMCPY, "--backend", "host", "-b", "1M", "-n", "3"]
TITLE = ("# host_copy: within the host's memory, bytes read plus bytes written, 1048576 bytes, "
         "median of 3 (GB/s)\n")
MATRIX = """#          host
  host X
# sum X GB/s
# lowest X GB/s (host, host), highest X GB/s (host, host)
"""


def steady(text: str) -> str:
    """Bandwidths, and the blanks before them, become X."""
    return re.sub(r" +\d+\.\d\d\b", " X", text)


class HostMemory(unittest.TestCase):
    def test_prints_a_matrix_with_sum_and_extremes(self):
        done = run([*HOST, "-t", "host_copy"])

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(TITLE + MATRIX, steady(done.stdout))
        self.assertTrue(done.stdout.endswith("#\n# Out of bounds values : 0 OK\n"), done.stdout)
        self.assertRegex(done.stdout, r"^# linerate \S+: memcpy_perf, host backend\n#  host memory")

    def test_writes_a_record_for_each_cell(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("copies.jsonl", "copies.csv")]
            done = run([*HOST, "--jsonl", str(files[0]), "--csv", str(files[1])])
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = json_lines(files[0])
            table = list(csv.DictReader(files[1].read_text().splitlines()))

        self.assertEqual([line["kind"] for line in lines], ["run", "result", "result", "end"])
        result = lines[1]
        self.assertEqual(result["case"]["collective"], "memcpy_host_copy")
        self.assertEqual(result["case"]["bytes"], 1 << 20)
        self.assertEqual(result["window"]["iters"], 3)
        self.assertEqual(result["wrong"], 0)
        self.assertAlmostEqual(result["busbw_gbps"], 2 * result["algbw_gbps"])
        self.assertEqual(result["copy"]["engine"], "cpu")
        self.assertEqual(result["copy"]["streams"][0]["from"], "host")
        seconds = result["window"]["time_us"] / 1e6
        self.assertAlmostEqual(result["algbw_gbps"] * seconds * 1e9 / (1 << 20), 1, places=6)
        self.assertEqual([row["collective"] for row in table],
                         ["memcpy_host_copy", "memcpy_host_copy_all"])

    def test_runs_behind_linerate(self):
        for words in (["memcpy"], ["perf", "memcpy_perf"]):
            done = run([tool("linerate"), *words, *HOST[1:], "-t", "host_copy"])
            self.assertEqual(done.returncode, 0, done.stderr)


class Lists(unittest.TestCase):
    def test_lists_every_test_without_a_gpu(self):
        done = run([MEMCPY, "--list"])

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 30)
        self.assertIn("h2d_ce               host to GPU, by copy engine\n", done.stdout)

    def test_takes_nvbandwidths_names(self):
        done = run([MEMCPY, "-t", "device_to_device_memcpy_read_ce", "--list"])

        self.assertEqual(done.stdout.split()[0], "d2d_read_ce", done.stderr)


class Refusals(unittest.TestCase):
    def check(self, *words: str, code: int, sentence: str):
        done = run([MEMCPY, *words])
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(sentence, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_of_wrong_words(self):
        self.check("-t", "h2d_cee", code=2, sentence="Did you mean 'h2d_ce'?")
        self.check("-t", "h2d", "--backend", "host", code=2, sentence="needs a GPU")
        self.check("-b", "17", code=2, sentence="no multiple of 16 bytes")
        self.check("--gpus", "0,0", code=2, sentence="twice")
        self.check("--iter", "3", code=2, sentence="did you mean '--iters'?")
        self.check("-e", "3", code=2, sentence="Unknown option '-e'")

    def test_without_the_module(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "bin" / "memcpy_perf"
            program.parent.mkdir()
            program.write_bytes((BIN / "linerate").read_bytes())
            program.chmod(0o755)
            done = run([str(program)])
        self.assertEqual((done.returncode, done.stdout), (5, ""), done.stderr)
        self.assertIn("liblinerate-nccl.so", done.stderr)

    def test_without_a_driver_or_gpu(self):
        needs_module("nccl")
        done = run([MEMCPY, "-t", "h2d_ce", "-b", "1M"], CUDA_VISIBLE_DEVICES="")
        self.assertEqual((done.returncode, done.stdout), (5, ""), done.stderr)
        self.assertRegex(done.stderr, "no NVIDIA driver here|finds no GPU")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    main()
