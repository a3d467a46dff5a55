"""--algo: what runs, what the records say, and what is refused."""

import re
import tempfile
import unittest
from pathlib import Path

from support import json_lines, run, tool

EVERYWHERE = ("pull", "flat", "recursive_doubling", "ring", "tree")


def results(*command: str) -> list[dict]:
    """The result lines of a run without wrong data."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.jsonl"
        done = run([tool("all_reduce_perf"), *command, "--jsonl", str(file)])
        assert done.returncode == 0, done.stderr
        return [line for line in json_lines(file) if line["kind"] == "result"]


class Algorithms(unittest.TestCase):
    def test_that_are_asked_for_run_and_are_named(self):
        for name in EVERYWHERE:
            for way in (("-g", "3"), ("--nprocs", "3")):
                with self.subTest(name=name, way=way):
                    found = results("-b", "4", "-e", "4M", "-f", "32", "-n", "2", *way,
                                    "--algo", name)

                    self.assertEqual({line["algorithm"] for line in found}, {name})
                    self.assertEqual(sum(line["wrong"] for line in found), 0)

    def test_are_chosen_by_size_where_none_is_asked_for(self):
        found = results("-b", "8", "-e", "8M", "-f", "1024", "-n", "2", "-g", "2")

        self.assertEqual(found[0]["algorithm"], "eager")
        self.assertNotEqual(found[-1]["algorithm"], "eager")

    def test_that_end_below_the_size_leave_the_rest_to_the_backend(self):
        found = results("-b", "32K", "-e", "2M", "-f", "64", "-n", "2", "-g", "2",
                        "--algo", "eager")

        self.assertNotIn("eager", {line["algorithm"] for line in found})

    def test_that_do_not_exist_are_refused_with_the_choices(self):
        done = run([tool("all_reduce_perf"), "-g", "2", "--algo", "rung"])

        self.assertEqual(done.returncode, 2)
        self.assertIn("Did you mean 'ring'?", done.stderr)
        self.assertIn("recursive_doubling", done.stderr)

    def test_are_refused_where_there_is_one_way_only(self):
        for binary in ("sendrecv_perf", "alltoallv_perf", "hypercube_perf"):
            done = run([tool(binary), "-g", "2", "--algo", "flat"])

            self.assertEqual(done.returncode, 2)
            self.assertIn("there is one way only", done.stderr)

    def test_are_refused_where_the_backend_chooses_alone(self):
        done = run([tool("all_reduce_perf"), "--backend", "fake", "-g", "2", "--algo", "ring"])

        self.assertEqual(done.returncode, 2)
        self.assertIn("the fake backend chooses its algorithms alone", done.stderr)


class ShownAlgorithms(unittest.TestCase):
    def shown(self, *command: str) -> list[str]:
        """The table from its first algorithm or row to its last row."""
        done = run([tool("all_reduce_perf"), "-g", "2", "-n", "2", "--show-algo", *command])
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in done.stdout.splitlines()
                if line.startswith("# algo:") or re.match(r" +\d", line)]

    def test_stand_once_above_the_rows_that_share_one(self):
        lines = self.shown("-b", "1M", "-e", "4M", "-f", "2", "--algo", "ring")

        self.assertEqual(lines[0], "# algo: ring")
        self.assertEqual([line.split()[0] for line in lines[1:]], ["1048576", "2097152", "4194304"])

    def test_stand_again_where_another_runs(self):
        lines = self.shown("-b", "8", "-e", "8M", "-f", "1048576")

        self.assertEqual(lines[0], "# algo: eager")
        self.assertRegex(lines[2], "# algo: (?!eager)")
        self.assertEqual(len(lines), 4)

    def test_are_unknown_where_the_backend_does_not_tell(self):
        lines = self.shown("-b", "8", "-e", "16", "-f", "2", "--backend", "fake")

        self.assertEqual(lines[0], "# algo: unknown")
        self.assertEqual(len(lines), 3)

    def test_are_not_there_unless_asked_for(self):
        done = run([tool("all_reduce_perf"), "-g", "2", "-n", "2", "-b", "8", "-e", "8"])

        self.assertNotIn("algo", done.stdout)


if __name__ == "__main__":
    unittest.main()
