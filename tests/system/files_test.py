"""The files of a run: early failures, kills, shared names, pipes, and no secrets."""

import json
import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from ports import free_port
from support import environment, json_lines, main, run, tool

SWEEP = ["-t", "2", "-b", "1K", "-e", "4K", "-f", "2", "-n", "3"]


class EarlyFailures(unittest.TestCase):
    """A run that fails before its first row leaves records that say why."""

    def check(self, words: list[str], code: int, reason: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path, report = Path(folder) / "run.jsonl", Path(folder) / "run.json"
            done = run([tool("all_reduce_perf"), *words, f"--jsonl={path}", f"-J{report}"])
            self.assertEqual(done.returncode, code, done.stderr)
            lines, found = json_lines(path), json.loads(report.read_text(encoding="utf-8"))
        self.assertEqual([line["kind"] for line in lines], ["run", "end"])
        self.assertEqual(lines[0]["run_id"], lines[1]["run_id"])
        self.assertEqual(lines[1]["exit_code"], code)
        self.assertRegex(lines[1]["error"], reason)
        self.assertRegex(found["errors"][0], reason)
        self.assertEqual(found["out_of_bounds"]["okay"], "false")

    def test_what_is_refused_before_anything_runs_leaves_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run([tool("all_reduce_perf"), *SWEEP, "--algo", "Ring",
                        f"--jsonl={folder}/run.jsonl", f"-J{folder}/run.json"])
            self.assertEqual((done.returncode, list(Path(folder).iterdir())), (2, []))

    def test_peers_that_never_come(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/run.jsonl"
            done = run([tool("all_reduce_perf"), *SWEEP[2:], "-T", "1", "--jsonl", path], RANK="0",
                       WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()))
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertEqual([line["kind"] for line in json_lines(Path(path))], ["run", "end"])

    def test_a_library_that_is_not_there(self):
        self.check([*SWEEP[2:], "--backend", "nccl", "--nccl-lib", "/nowhere.so"], 5, "NVIDIA|nccl")


class Killed(unittest.TestCase):
    """-J is whole JSON whenever its run is killed."""

    def test_the_report_is_valid_at_any_moment(self):
        rows_seen = set()
        for trial in range(12):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "run.json"
                command = [tool("all_reduce_perf"), "-t", "2", "-b", "8", "-e", "64K", "-f", "2",
                           "-N", "0", "--expect", "off", f"-J{path}"]
                with subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, env=environment()) as job:
                    time.sleep(0.02 + 0.04 * trial)
                    job.kill()
                if path.exists():
                    report = json.loads(path.read_text(encoding="utf-8"))
                    rows_seen.add(len(report["results"]))
                    self.assertRegex(report["errors"][0], "has not (begun|ended)")
        self.assertGreater(len(rows_seen), 1, "no kill came in the middle of a run")


class Files(unittest.TestCase):
    def test_one_file_by_two_names_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            real, link = Path(folder) / "run", Path(folder) / "link"
            link.symlink_to(real)
            done = run([tool("all_reduce_perf"), *SWEEP, f"--jsonl={real}", f"--csv={link}"])
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("the same file", done.stderr)

    def test_runs_that_start_together_write_one_csv_heading(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.csv"
            command = [tool("all_reduce_perf"), *SWEEP, "--csv", str(path)]
            jobs = [subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL)
                    for _ in range(4)]
            self.assertEqual([job.wait(timeout=60) for job in jobs], [0] * 4)
            lines = path.read_text(encoding="utf-8").splitlines()
        self.assertEqual([line.startswith("run_id,") for line in lines], [True] + 24 * [False])

    def test_a_pipe_without_reader_answers_the_first_signal(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/pipe"
            os.mkfifo(path)
            command = [tool("all_reduce_perf"), *SWEEP, "--jsonl", path]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  env=environment(), text=True) as job:
                time.sleep(0.5)
                job.terminate()
                _, stderr = job.communicate(timeout=10)
            self.assertEqual(job.returncode, 130, stderr)
            self.assertIn("nobody reads", stderr)


class Secrets(unittest.TestCase):
    def test_credentials_of_the_environment_reach_no_file(self):
        given = {"SLURM_JWT": "hidden-1", "NCCL_AUTH": "hidden-2", "LINERATE_TOKEN": "hidden-3",
                 "NCCL_DEBUG": "shown-1", "UCX_TLS": "shown-2"}
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, name) for name in ("run.jsonl", "run.csv", "run.json")]
            run([tool("all_reduce_perf"), *SWEEP, f"--jsonl={files[0]}", f"--csv={files[1]}",
                 f"-J{files[2]}"], **given)
            texts = [file.read_text() for file in files]
        self.assertNotIn("hidden", "".join(texts))
        for shown in ("NCCL_DEBUG=shown-1", "UCX_TLS=shown-2"):
            self.assertTrue(shown in texts[0] and shown in texts[2], shown)


if __name__ == "__main__":
    main()
