"""--repeat: one study of several processes, one table of medians, and what runs are called."""

import re
import statistics

from parsers import disagreements
from series import SeriesTest, fake
from support import json_lines, main, rows, run, tool


class Repeat(SeriesTest):
    def test_runs_share_a_study_and_are_numbered(self) -> None:
        path = self.folder / "r.jsonl"

        done = run([tool("all_reduce_perf"), *fake("10"), "--repeat", "3", "--jsonl", str(path)])

        self.assertEqual(done.returncode, 0, done.stderr)
        starts = [o for o in json_lines(path) if o["kind"] == "run"]
        self.assertEqual([o["repeat"] for o in starts], [1, 2, 3])
        self.assertEqual(len({o["study"] for o in starts}), 1)
        self.assertEqual(len({o["ranks"][0]["pid"] for o in starts}), 3)
        self.assertNotIn("--repeat", starts[0]["args"])

    def test_stdout_has_one_table_of_medians_that_every_parser_reads(self) -> None:
        path = self.folder / "r.jsonl"

        done = run([tool("all_reduce_perf"), "-g", "2", "-b", "1K", "-e", "4K", "-f", "4",
                    "--repeat", "3", "--jsonl", str(path)])

        table = rows(done.stdout)
        self.assertEqual([row.size for row in table], [1024, 4096])
        self.assertEqual(len(rows(done.stderr)), 6)
        times = [o["window"]["time_us"] for o in json_lines(path) if o["kind"] == "result"
                 and o["case"]["bytes"] == 4096 and o["case"]["placement"] == "out_of_place"]
        self.assertEqual(table[1].out_of_place[0], f"{statistics.median(times):.2f}")
        self.assertEqual(disagreements(done.stdout), {})
        self.assertIn("# Repeated: 3 runs", done.stdout)
        summary = done.stdout.split("# Repeated")[1]
        for word in ("bandwidth", "FAILED", "out-of-place", "in-place"):
            self.assertNotIn(word, summary)

    def test_the_average_of_two_runs_lies_between_them(self) -> None:
        path = self.folder / "r.jsonl"

        done = run([tool("all_reduce_perf"), "-g", "2", "-b", "1K", "-e", "4K", "-f", "4",
                    "--repeat", "2", "--jsonl", str(path)])

        averages = [o["average_busbw_gbps"] for o in json_lines(path) if o["kind"] == "end"]
        shown = re.search(r"Avg bus bandwidth\s*: (\S+)", done.stdout)
        self.assertEqual(len(averages), 2, done.stderr)
        self.assertAlmostEqual(float(shown[1]), sum(averages) / 2, delta=1e-4 * max(averages))

    def test_processes_pairs_and_copies_are_repeated_too(self) -> None:
        for command in (["all_reduce_perf", "--nprocs", "2", "-b", "1K", "-e", "1K"],
                        ["p2p_perf", "-g", "2", "-b", "8", "-e", "1K"],
                        ["memcpy_perf", "--backend", "host", "-b", "64K", "-n", "2"]):
            done = run([tool(command[0]), *command[1:], "--repeat", "2"])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("# Repeated: 2 runs", done.stdout, command)

    def test_a_study_of_the_users_own_is_recorded(self) -> None:
        path = self.folder / "r.jsonl"

        run([tool("all_reduce_perf"), *fake("10")], LINERATE_STUDY="mine:7",
            LINERATE_JSONL=str(path))

        self.assertEqual(json_lines(path)[0]["study"], "mine")
        self.assertEqual(json_lines(path)[0]["repeat"], 7)

    def test_runs_of_a_study_without_a_number_are_numbered(self) -> None:
        numbers = {}
        for study in ("mine", "mine:7"):
            path = self.folder / f"{study}.jsonl"
            run([tool("all_reduce_perf"), *fake("10"), "--repeat", "2", "--jsonl", str(path)],
                LINERATE_STUDY=study)
            starts = [o for o in json_lines(path) if o["kind"] == "run"]
            numbers[study] = [(o["study"], o["repeat"]) for o in starts]

        self.assertEqual(numbers["mine"], [("mine", 1), ("mine", 2)])
        self.assertEqual(numbers["mine:7"], [("mine", 7), ("mine", 7)])


if __name__ == "__main__":
    main()
