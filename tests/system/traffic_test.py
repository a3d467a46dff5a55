"""alltoallv's matrix of bytes: what is no such file is refused before anything starts."""

import os
import tempfile
import unittest
from pathlib import Path

from support import run, tool


class MatrixFile(unittest.TestCase):
    def refusal(self, path: str, *words: str, **variables: str) -> str:
        """The one line on stderr of a run that the matrix keeps from starting."""
        done = run([tool("alltoallv_perf"), "-b", "4096", "-e", "4096", "-t", "2", *words],
                   limit_s=20, NCCL_TESTS_ALLTOALLV_MATRIX_FILE=path, **variables)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(path, done.stderr)
        return done.stderr

    def test_what_is_no_file_is_refused_before_anything_starts(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe, large, missing = (Path(folder) / name for name in ("pipe", "large", "missing"))
            os.mkfifo(pipe)
            with large.open("wb") as file:
                file.truncate(1 << 30)
            self.assertIn("is a directory", self.refusal(folder))
            self.assertIn("is a directory", self.refusal(folder, "--nprocs", "2"))
            self.assertIn("is a pipe or device", self.refusal(str(pipe)))
            self.assertIn("1 GiB; at most 256 MiB", self.refusal(str(large)))
            self.assertIn("No such file", self.refusal(str(missing)))
        self.assertIn("is a pipe or device", self.refusal("/dev/zero"))

    def test_what_is_wrong_in_it_is_named_with_file_and_line(self):
        for text, reason in (("0 1\n2 x\n", "line 2 holds 'x'"), ("", "is empty"),
                             ("0 1 2\n3 4 5\n", "2 rows of 3 values"),
                             ("0 8192\n0 0\n", "give -b 8192 -e 8192")):
            with self.subTest(text=text), tempfile.NamedTemporaryFile("w") as matrix:
                matrix.write(text)
                matrix.flush()
                self.assertIn(reason, self.refusal(matrix.name))

    def test_points_exponents_and_the_scale(self):
        with tempfile.NamedTemporaryFile("w") as matrix:
            matrix.write("0 4e0\n1.5 0\n")
            matrix.flush()
            done = run([tool("alltoallv_perf"), "-b", "4096", "-e", "4096", "-t", "2"],
                       NCCL_TESTS_ALLTOALLV_MATRIX_FILE=matrix.name,
                       NCCL_TESTS_ALLTOALLV_MATRIX_SCALE="1000",
                       NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY="1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank=0 send_bytes=4000 recv_bytes=1488 alg_bw=", done.stdout)


if __name__ == "__main__":
    unittest.main()
