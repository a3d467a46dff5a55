#!/usr/bin/env python3
"""linerate doctor hang: dumps as Python pickles them, and real processes."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys

from doctor import DoctorTest
from support import environment, main, tool


def dump(last: int, state: str) -> dict:
    """What a rank's recorder holds after `last` collectives; the state is the last one's."""
    entries = [{"process_group": ("0", "default_pg"), "collective_seq_id": number,
                "profiling_name": "nccl:all_reduce", "is_p2p": False, "input_sizes": [[4, 2]],
                "input_dtypes": ["Float"], "output_sizes": [[4, 2]], "output_dtypes": ["Float"],
                "state": state if number == last else "completed"}
               for number in range(1, last + 1)]
    return {"version": "2.10", "entries": entries,
            "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2]"}}}


class Runs:
    """Whoever unpickles it runs os.getpid()."""

    def __reduce__(self) -> tuple:
        return os.getpid, ()


class DoctorHang(DoctorTest):
    words = ("doctor", "hang")

    def start(self, *command: str, **variables: str) -> subprocess.Popen:
        process = subprocess.Popen(command, env=environment(**variables), stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def findings(self, *words: str) -> dict[str, dict]:
        told = json.loads(self.doctor("--json", *words).stdout)
        return {finding["rule"]: finding for finding in told["findings"]}

    def test_names_the_missing_rank_of_pickles_of_every_protocol(self) -> None:
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            for rank, last in enumerate((7, 6, 7)):
                state = "started" if last == 7 else "completed"
                (self.folder / f"nccl_trace_rank_{rank}").write_bytes(
                    pickle.dumps(dump(last, state), protocol))
            with self.subTest(protocol=protocol):
                done = self.doctor(str(self.folder), "--fail-on", "problem")
                self.assertEqual((done.returncode, done.stderr), (3, ""))
                self.assertIn("problem: missing-in-collective: rank 1, process group 0 (default_pg)"
                              "\n  ranks 0, 2 wait in collective 7", done.stdout)

    def test_never_runs_a_pickle(self) -> None:
        file = self.folder / "rank_0"
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            file.write_bytes(pickle.dumps({"entries": [Runs()]}, protocol))
            done = self.doctor(str(file))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("is not executed.", done.stderr)

    def test_names_a_stopped_process_and_its_rank(self) -> None:
        process = self.start("sleep", "60", RANK="5", SECRET_TOKEN="hidden")
        process.send_signal(signal.SIGSTOP)

        done = self.doctor(str(process.pid), "--fail-on", "problem")

        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertIn(f"problem: stopped: rank 5 (pid {process.pid}, sleep)\n", done.stdout)
        self.assertNotIn("hidden", done.stdout)

    def test_tells_spinning_from_waiting(self) -> None:
        spins = self.start(sys.executable, "-c", "print(flush=True)\nwhile True: pass")
        spins.stdout.readline()
        waits = self.start("sleep", "60")

        for rule, process in (("spins", spins), ("waits", waits)):
            # It may still be starting, or be held up, at the first look.
            self.assertTrue(any(rule in self.findings(str(process.pid)) for _ in range(9)), rule)

    def test_says_what_a_run_of_linerate_does(self) -> None:
        run = self.start(tool("all_reduce_perf"), "-b", "1M", "-e", "1M", "-N", "0", "-t", "2",
                         "-M", "0")
        stages: list[str] = []
        for _ in range(20):
            told = json.loads(self.doctor("--json", str(run.pid)).stdout or "{}")
            stages = told.get("processes", [{}])[0].get("stages", [])
            if any("all_reduce, 1048576 bytes" in stage for stage in stages):
                break
        self.assertEqual(len(stages), 2, stages)

    def test_refuses_in_one_line(self) -> None:
        for words in ([], ["0"], ["4194304"], ["99999999999999999999"], ["/nowhere"],
                      [str(self.folder)], ["--fail-on", "info", "1"]):
            done = self.doctor(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    main()
