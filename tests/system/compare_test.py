"""linerate compare of files, folders and baselines, on the fake backend's exact times."""

import json
import xml.etree.ElementTree as ET

from series import SeriesTest, compare, fake
from support import main, run, tool


class Compare(SeriesTest):
    def test_a_slower_series_is_called_so_and_fails_the_gate(self) -> None:
        a, b = self.series("a.jsonl", "10", 1), self.series("b.jsonl", "5", 100)

        done = compare(a, b, "--gate", "--json")

        self.assertEqual(done.returncode, 3, done.stderr)
        out = json.loads(done.stdout)
        self.assertEqual([c["verdict"] for c in out["cases"]], ["SLOWER"] * 4)
        self.assertEqual([d["what"] for d in out["differences"]], ["options"])  # the seeds
        self.assertEqual(compare(b, a, "--gate").returncode, 0)

    def test_equal_series_are_the_same_and_pass(self) -> None:
        a, b = self.series("a.jsonl", "10", 1, 8), self.series("b.jsonl", "10", 100, 8)

        done = compare(a, b, "--gate", "--smallest", "5%")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("SAME within 5 %: 4", done.stdout)

    def test_other_ranks_and_buffers_are_refused_unless_forced(self) -> None:
        a = self.series("a.jsonl", "10", 1, 1)
        other = str(self.folder / "other.jsonl")
        run([tool("all_reduce_perf"), *fake("10"), "-g", "4", "-e", "64K", "--jsonl", other])

        refused = compare(a, other)
        forced = compare(a, other, "--force")

        self.assertEqual(refused.returncode, 2)
        self.assertIn("ranks: 2 | 4", refused.stderr)
        self.assertIn("bytes touched (-e)", refused.stderr)
        self.assertEqual(refused.stdout, "")
        self.assertEqual(forced.returncode, 0, forced.stderr)

    def test_a_baseline_is_kept_listed_and_compared(self) -> None:
        state = str(self.folder / "state")
        a, b = self.series("a.jsonl", "10", 1), self.series("b.jsonl", "5", 100)

        kept = compare(a, "--save-baseline", "good", XDG_STATE_HOME=state)
        listed = compare("--baselines", XDG_STATE_HOME=state)
        done = compare("good", b, "--gate", XDG_STATE_HOME=state)
        unknown = compare("goood", b, XDG_STATE_HOME=state)

        self.assertEqual(kept.returncode, 0, kept.stderr)
        self.assertIn("6 runs", listed.stdout)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("baseline good", done.stdout)
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("Did you mean 'good'?", unknown.stderr)

    def test_junit_and_markdown_are_written(self) -> None:
        a, b = self.series("a.jsonl", "10", 1), self.series("b.jsonl", "5", 100)
        xml = self.folder / "out.xml"

        done = compare(a, b, "--markdown", "--junit", str(xml))

        self.assertIn("| **SLOWER** |", done.stdout)
        self.assertEqual(ET.parse(xml).getroot().attrib["failures"], "4")

    def test_words_that_make_no_sense_are_refused(self) -> None:
        for words in (["a"], ["a", "b", "c"], ["--json", "--markdown", "a", "b"],
                      ["a", "b", "--repeat", "3"], ["a", "b", "--smallest", "2"],
                      ["a", "b", "--statistic", "mean"], ["a", "--save-baseline", "../x"],
                      ["/nowhere/a", "/nowhere/b"], ["--baselines", "a"]):
            done = compare(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    main()
