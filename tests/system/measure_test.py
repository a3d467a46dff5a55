"""linerate topo --measure: its tables, what it keeps, what runs make of it, TCP between hosts."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from hosts import env_job, hosts, needs_hosts
from ports import free_port
from support import json_lines, main, run, tool

MEASURE = [tool("linerate"), "topo", "--measure"]
SWEEP = ["-b", "1M", "-e", "1M", "-n", "5", "--backend", "host", "-g", "2"]


def kept(cache: str) -> list[Path]:
    return list(Path(cache).glob("linerate/machine-*.json"))


class ThisMachine(unittest.TestCase):
    def test_its_numbers_are_printed_and_kept_and_runs_take_them(self):
        with tempfile.TemporaryDirectory() as cache:
            done = run([*MEASURE, "--json"], XDG_CACHE_HOME=cache)

            self.assertEqual((done.returncode, done.stderr), (0, ""))
            node = json.loads(done.stdout)["nodes"][0]
            survey = node["survey"]
            for row in [*survey["by_size"], *survey["by_cores"]]:
                for key in ("read_gbps", "write_gbps", "copy_gbps", "triad_gbps"):
                    self.assertGreater(row[key], 0, row)
            self.assertEqual(survey["by_cores"][-1]["nthreads"], survey["nthreads"])
            for line in survey["lines"]:
                self.assertGreater(line["round_trip_ns"], 0, line)
            sizes = [row["bytes"] for row in survey["by_size"]]
            self.assertEqual(sizes, sorted(sizes))
            (file,) = kept(cache)
            self.assertEqual(json.loads(file.read_text())["survey"], survey)

            jsonl = Path(cache) / "run.jsonl"
            done = run([tool("all_reduce_perf"), *SWEEP, "--jsonl", str(jsonl)],
                       XDG_CACHE_HOME=cache)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("machine-", done.stderr)
            self.assertIn("efficiency", json_lines(jsonl)[1])

    def test_the_tables_name_what_they_show(self):
        with tempfile.TemporaryDirectory() as cache:
            done = run(MEASURE, XDG_CACHE_HOME=cache)

        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("Bandwidth of memory by threads", "together by size", "cache line"):
            self.assertIn(words, done.stdout)

    def test_a_broken_file_is_told_and_replaced_and_no_run_fails_for_it(self):
        with tempfile.TemporaryDirectory() as cache:
            run(MEASURE, XDG_CACHE_HOME=cache)
            (file,) = kept(cache)
            file.write_text('{"schema": 1, "hard')

            done = run([tool("all_reduce_perf"), *SWEEP], XDG_CACHE_HOME=cache)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("holds no facts about a machine", done.stderr)

            done = run(MEASURE, XDG_CACHE_HOME=cache)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("It is replaced.", done.stderr)
            json.loads(file.read_text())

    def test_a_folder_that_cannot_be_written_costs_a_note_only(self):
        with tempfile.NamedTemporaryFile() as no_folder:
            done = run(MEASURE, XDG_CACHE_HOME=no_folder.name)

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing is kept in", done.stderr)

    def test_another_machine_is_not_measured(self):
        done = run([*MEASURE, "--platform", "dgx-h100"])

        self.assertEqual(done.returncode, 2)
        self.assertIn("--measure measures this machine", done.stderr)


class SeveralHosts(unittest.TestCase):
    def test_tcp_is_measured_between_each_pair(self):
        needs_hosts()
        with hosts(3) as all_hosts, tempfile.TemporaryDirectory() as cache:
            processes = env_job(all_hosts, free_port(), "env", f"XDG_CACHE_HOME={cache}",
                                *MEASURE, "--json")
            first, *others = [self.outcome(process) for process in processes]

        result = json.loads(first)
        self.assertEqual([node["hostname"] for node in result["nodes"]],
                         ["host1", "host2", "host3"])
        self.assertEqual([(link["first"], link["second"]) for link in result["tcp"]],
                         [("host1", "host2"), ("host1", "host3"), ("host2", "host3")])
        for link in result["tcp"]:
            self.assertGreater(link["round_trip_us"], 0)
            self.assertGreater(link["one_stream_gbps"], 0)
            self.assertGreater(link["all_streams_gbps"], 0)
        self.assertEqual(others, ["", ""])

    def outcome(self, process: subprocess.Popen) -> str:
        out, errors = process.communicate(timeout=240)
        self.assertEqual(process.returncode, 0, errors)
        return out if isinstance(out, str) else out.decode()


if __name__ == "__main__":
    main()
