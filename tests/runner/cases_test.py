"""Every case of a Python file is counted once; a summary says what failed and what did not run."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from case_results import Results, read_all

HERE = Path(__file__).parent
CASES = '''\
import unittest
class A(unittest.TestCase):
    def test_good(self): pass
    def test_bad(self):
        with self.subTest(k=1): self.fail("wrong")
    def test_none(self): self.skipTest("alone")
class B(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("all of it")
    def test_one(self): pass
    def test_two(self): pass
'''


class Cases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def python(self, script: str, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-B", HERE / script, *words], capture_output=True,
                              text=True, timeout=60, check=False)

    def summary(self, may_skip: str) -> subprocess.CompletedProcess:
        known = self.folder / "known"
        known.write_text(may_skip)
        return self.python("summary.py", str(self.folder), "--may-skip", str(known))

    def test_of_a_class_that_is_skipped_are_counted_too(self):
        file = self.folder / "some_test.py"
        file.write_text(CASES)
        done = self.python("python.py", "it", str(self.folder), str(file))
        (found,) = read_all(self.folder)
        self.assertEqual((done.returncode, found.passed), (1, 1))
        self.assertEqual(found.failed, {"some_test.A.test_bad": "(k=1): wrong"})
        self.assertEqual(found.skipped, {"some_test.A.test_none": "alone",
                                         "some_test.B.test_one": "all of it",
                                         "some_test.B.test_two": "all of it"})

    def test_may_be_skipped_for_reasons_that_are_known_alone(self):
        Results("it", passed=2, skipped={"A.b": "no such thing"}).write(self.folder)
        for text, code in (("no such thing  # a reason", 0), ("# no such thing", 1)):
            done = self.summary(text)
            self.assertEqual(done.returncode, code)
            self.assertIn("2 tests passed, 0 failed, 1 skipped", done.stdout)
            self.assertIn("it A.b", done.stdout)

    def test_that_failed_are_named_and_fail_the_run(self):
        Results("it", passed=2, failed={"A.b": "failed"}).write(self.folder)
        Results("that", passed=1).write(self.folder)
        done = self.summary("")
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: it A.b: failed\n3 tests passed, 1 failed, 0 skipped", done.stdout)

    def test_are_none_where_nothing_ran(self):
        self.assertNotEqual(self.summary("").returncode, 0)


if __name__ == "__main__":
    unittest.main()
