"""Where linerate compare takes its sides from, what does not count, what it never overwrites."""

import json
from pathlib import Path

from series import SeriesTest, compare, fake
from support import main, run, tool


class Sources(SeriesTest):
    def test_a_folder_of_tables_is_a_series(self) -> None:
        folder = self.folder / "tables"
        folder.mkdir()
        for seed in range(1, 4):
            done = run([tool("all_reduce_perf"), *fake("10", seed)])
            (folder / f"{seed}.txt").write_text(done.stdout)

        done = compare(str(folder), str(folder), "--json")

        out = json.loads(done.stdout)
        self.assertEqual(out["a"]["nruns"], 3, done.stderr)
        self.assertEqual(out["statistic"], "window")
        self.assertEqual(out["cases"][0]["nranks"], 2)

    def test_a_copy_of_a_run_counts_once(self) -> None:
        folder = self.folder / "copies"
        folder.mkdir()
        a = self.series("a.jsonl", "10", 1, 2)
        text = Path(a).read_text()
        (folder / "x.jsonl").write_text(text * 4)
        (folder / "y.jsonl").write_text(text)
        state = str(self.folder / "state")

        done = compare(a, str(folder), "--json")
        compare(str(folder), "--save-baseline", "once", XDG_STATE_HOME=state)

        out = json.loads(done.stdout)
        self.assertEqual(out["b"]["nruns"], 2, done.stderr)
        self.assertEqual(out["b"]["notes"], ["8 runs equal to another are left out"])
        self.assertIn("2 runs of A are also in B: a run does not differ from itself",
                      out["cautions"])
        kept = Path(state, "linerate", "baselines", "once.jsonl").read_text()
        self.assertEqual(kept.count('"kind":"run"'), 2)

    def test_tables_with_wrong_data_are_left_out_and_named(self) -> None:
        table = run([tool("all_reduce_perf"), *fake("10")]).stdout
        good, bad = self.folder / "good.txt", self.folder / "bad.txt"
        good.write_text(table)
        row = next(line for line in table.splitlines() if len(line.split()) == 13
                   and not line.startswith("#"))
        words = row.split()
        words[8] = "7"
        bad.write_text(table + table.replace(row, " ".join(words)))

        done = compare(str(good), str(bad))

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("# B: 1 run with wrong data is left out", done.stdout)

    def test_nothing_is_written_over_what_is_compared(self) -> None:
        state = str(self.folder / "state")
        a, b = self.series("a.jsonl", "10", 1, 1), self.series("b.jsonl", "10", 2, 1)
        compare(a, "--save-baseline", "kept", XDG_STATE_HOME=state)
        before = Path(a).read_text()

        for junit, source in ((a, a), (str(self.folder / "x.xml"), str(self.folder)),
                              (f"{state}/linerate/baselines/kept.jsonl", "kept")):
            done = compare(source, b, "--junit", junit, XDG_STATE_HOME=state)
            self.assertEqual(done.returncode, 2, junit)
            self.assertIn("--junit would write to", done.stderr)

        self.assertEqual(Path(a).read_text(), before)
        self.assertFalse((self.folder / "x.xml").exists())

    def test_a_pipe_is_read(self) -> None:
        a = self.series("a.jsonl", "10", 1, 2)

        done = run(["bash", "-c", f"{tool('linerate')} compare <(cat {a}) <(cat {a}) --json"])

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["a"]["nruns"], 2)


if __name__ == "__main__":
    main()
