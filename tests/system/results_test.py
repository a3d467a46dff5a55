"""linerate results lists, filters, exports and imports."""

import csv
import io
import json

from support import json_lines, main, run, tool
from sweep import LINERATE, QUICK, Sweeps

TINY = ["-t", "2", "-b", "8", "-e", "8", *QUICK.split()]
STUDY = "collectives: [all_reduce, all_gather]\nsizes: [64, 1K:4K]\n"


class Results(Sweeps):
    measured = b""  # the file of a sweep, for each test

    def setUp(self):
        super().setUp()
        if not Results.measured:
            done = self.sweep(str(self.study(STUDY + "environment: {NCCL_ALGO: [~, Ring]}\n")))
            self.assertEqual(done.returncode, 0, done.stderr)
            Results.measured = self.db.read_bytes()
        self.db.write_bytes(Results.measured)

    def test_lists_what_fits_all_conditions(self):
        self.assertIn("# 8 ok\n", self.results().stdout)
        done = self.results("--where", "collective=all_gather", "--where", "NCCL_ALGO=Ring",
                            "--where", "sizes=64", "--where", "sizes=8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 3, done.stdout)
        self.assertIn("NCCL_ALGO=Ring", done.stdout)

    def test_writes_json_lines_that_other_commands_read(self):
        path = self.folder / "all.jsonl"
        done = self.results("--jsonl", str(path), "--where", "collective=all_reduce")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        kinds = [line["kind"] for line in json_lines(path)]
        self.assertEqual((kinds.count("case"), kinds.count("run"), kinds.count("end")), (4, 4, 4))
        compared = run([LINERATE, "compare", str(path), str(path)])
        self.assertEqual(compared.returncode, 0, compared.stderr)
        self.results("--jsonl", str(path))  # in its place
        self.assertEqual(sum(line["kind"] == "case" for line in json_lines(path)), 8)

    def test_writes_a_line_of_csv_for_each_result(self):
        done = self.results("--csv", "/dev/stdout")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(len(rows), 4 * 2 + 4 * 3 * 2)
        ring = [row for row in rows if json.loads(row["case_variables"])["NCCL_ALGO"] == "Ring"]
        self.assertEqual(len(ring), len(rows) // 2)
        self.assertEqual({row["bytes"] for row in rows if row["case_sizes"] == "64"}, {"64"})

    def test_adds_runs_of_other_files_once(self):
        table, lines = self.folder / "table.txt", self.folder / "runs.jsonl"
        table.write_text(run([tool("all_reduce_perf"), *TINY]).stdout)
        run([tool("broadcast_perf"), *TINY, "--jsonl", str(lines)])
        words = ("--import", str(table), "--import", str(lines))
        first = self.results(*words, "--where", "study=table.txt", "--where", "study=runs.jsonl")
        self.assertIn("2 runs imported, 0 were there already", first.stderr)
        self.assertIn("all_reduce", first.stdout)
        self.assertIn("broadcast", first.stdout)
        words = ("--import", f"{self.folder}/./table.txt", "--import", str(lines))
        self.assertIn("0 runs imported, 2 were there already", self.results(*words).stderr)
        fresh = run([LINERATE, "results", str(self.folder / "new.db"), *words])
        self.assertIn("# 2 ok\n", fresh.stdout)

    def test_is_refused_what_it_cannot_do(self):
        other = self.folder / "other.txt"
        other.write_text("no results\n")
        copy = self.folder / "copy.jsonl"
        for words, reason in (
                ([str(self.db), "--jsonl", f"{self.folder}/./{self.db.name}"], "of the cases"),
                ([str(self.db), "--csv", str(copy), "--jsonl", str(copy)], "written by --jsonl"),
                ([str(self.db), "--import", str(other), "--csv", str(other)], "is imported"),
                ([str(self.db), "--where", "colective=x"], "Did you mean 'collective'"),
                ([str(self.db), "--where", "x"], "is no condition"),
                ([str(self.db), "--import", str(other)], "It holds no runs of linerate"),
                ([str(self.db), "--csv", "/no/such/x.csv"], "/no/such/x.csv"),
                ([], "needs the file of a sweep"), (["/no/such.db"], "cannot be opened"),
                ([str(other)], "is no file of linerate sweep")):
            with self.subTest(words=words):
                done = run([LINERATE, "results", *words])
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(reason, done.stderr)
        self.assertEqual(self.db.read_bytes(), Results.measured)


if __name__ == "__main__":
    main()
