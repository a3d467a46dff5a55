"""The page of a sweep's file: what it says and escapes, and what is refused."""

import re
import unittest

from runs import pair_lines, text_of, write_run
from study_case import StudyCase


class StudyPage(StudyCase):
    def test_the_page_says_it_and_escapes_what_the_file_holds(self):
        self.case({"ALGO": None}, {8: 10})
        self.case({"ALGO": "<b>Tree"}, {8: 20})
        self.case({}, {}, outcome="crashed", nodes=2)

        code, _ = self.call("html", "my <i>night", str(self.path))
        page = (self.folder / "report.html").read_text(encoding="utf-8")

        self.assertEqual(code, 0)
        self.assertIn("3 cases: 2 ok, 1 crashed; 2 results.", page)
        self.assertIn("calls take 2.00 times as long as without ALGO (1 pair of runs, too few for "
                      "an interval).", page)
        self.assertIn("run &lt;2&gt;", page)
        self.assertNotIn("<b>Tree", page)
        self.assertNotIn("<i>", page)
        self.assertNotIn("http", page.replace("http-equiv", ""))

    def test_ratios_have_room_and_no_figures_that_nobody_needs(self):
        self.case({"ALGO": None}, {8: 10, 64: 10})
        self.case({"ALGO": "Tree"}, {8: 4, 64: 2_125.91})

        self.call("html", "", str(self.path))
        page = (self.folder / "report.html").read_text(encoding="utf-8")

        self.assertIn("213x</td>", page)
        self.assertNotIn("212.59", page)
        self.assertEqual(page.count("What each setting changes<"), 1)
        labels = re.findall(r">([0-9.]+x)</text>", page)
        self.assertEqual(labels, ["1x", "10x", "100x"])

    def test_cases_that_failed_for_the_same_reason_are_one_row(self):
        for nodes in (1, 2, 4):
            self.case({}, {}, outcome="no_start", nodes=nodes)
        self.case({}, {}, outcome="crashed")
        self.file.execute("UPDATE cases SET command = ? WHERE outcome = 'crashed'",
                          (f"first {'x' * 500} last",))

        crashed, no_start = sorted(self.study().problems, key=lambda one: one.cases)

        self.assertEqual((no_start.outcome, no_start.cases, no_start.command),
                         ("no_start", 3, "run <1>"))
        self.assertRegex(crashed.command, "^first x+ … x+ last$")
        self.assertEqual(len(crashed.command), 303)

    def test_pairs_of_ranks_are_of_the_last_run_that_timed_them(self):
        for nranks in (3, 4):
            number = self.file.execute(
                "INSERT INTO cases VALUES (NULL, ?, 'ok', '', '', '', '', '{}', '', '', '', '', ?)",
                (f"import {nranks}", text_of(pair_lines(nranks)))).lastrowid
            self.file.execute("INSERT INTO results VALUES (?, 'p2p_latency', '', '', -1, '', 8, 2, "
                              "1, 5, 0, 0)", (number,))

        code, _ = self.call("html", "", str(self.path))
        page = (self.folder / "report.html").read_text(encoding="utf-8")

        self.assertEqual(code, 0)
        self.assertIn("Latency, half a round trip of", page)
        self.assertIn("<th>3</th>", page)
        self.assertNotIn("<th>4</th>", page)
        self.assertIn("2 cases: 2 ok; 0 results.", page)

    def test_what_is_no_study_is_refused(self):
        self.case({}, {8: 1})
        run = self.folder / "run.jsonl"
        write_run(run, [])
        self.assertIn("give it alone", self.call("html", "", str(self.path), str(run))[1])
        self.assertIn("html only", self.call("html,md", "", str(self.path))[1])
        self.file.execute("PRAGMA user_version = 2")
        self.assertIn("schema 2", self.call("html", "", str(self.path))[1])
        self.file.execute("PRAGMA application_id = 7")
        self.assertIn("is no file of linerate sweep", self.call("html", "", str(self.path))[1])
        self.path.write_bytes(self.path.read_bytes()[:2000])
        code, said = self.call("html", "", str(self.path))
        self.assertEqual((code, said.count("\n")), (2, 1), said)


if __name__ == "__main__":
    unittest.main()
