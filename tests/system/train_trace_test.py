"""--trace: what viewers demand, the times of JSON Lines, and whole after whatever ends a run."""

import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support import environment, json_lines, main, mpirun, needs_module, run, tool
from trace_file import Slice, of_step, read

STEPS = ["--steps", "6"]


def total_ns(slices: list[Slice]) -> int:
    return sum(one.end_ns - one.start_ns for one in slices)


class Traced(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "trace.json"
        self.jsonl = Path(folder.name) / "run.jsonl"

    def trace(self, *command: str) -> dict[tuple[str, str], list[Slice]]:
        done = run([*command, "--trace", str(self.file), "--jsonl", str(self.jsonl)])
        self.assertEqual(done.returncode, 0, done.stderr)
        return read(self.file)

    def test_has_a_process_for_each_rank_and_a_thread_for_each_stream(self):
        threads = self.trace(tool("train_ddp"), "-t", "3", *STEPS)
        self.assertEqual({process for process, _ in threads}, {"rank 0", "rank 1", "rank 2"})
        self.assertEqual(len(threads), 3 * 3)
        names = [one.name for one in of_step(threads["rank 2", "compute"], 6)]
        forward = [name for name in names if name.startswith("forward")]
        self.assertEqual(forward, ["forward embeddings", *[f"forward block{i}" for i in range(4)],
                                   "forward final norm"])
        self.assertEqual(sorted(name[9:] for name in names if name.startswith("backward")),
                         sorted(name[8:] for name in forward))
        self.assertEqual(names.count("optimizer"), 1)

    def test_has_the_times_and_bytes_of_json_lines(self):
        for zero in ("0", "1", "2", "3"):
            self.file, self.jsonl = (path.with_stem(f"z{zero}") for path in (self.file, self.jsonl))
            threads = self.trace(tool("train_fsdp"), "-t", "2", "--zero", zero, *STEPS)
            (axis,) = [name for _, name in threads if name.startswith("communication")][:1]
            for line in json_lines(self.jsonl)[1:-1]:
                with self.subTest(zero=zero, step=line["step"]):
                    self.check_step(line, threads, axis)

    def check_step(self, line: dict, threads: dict, axis: str) -> None:
        compute = of_step(threads["rank 0", "compute"], line["step"])
        calls = of_step(threads["rank 0", axis], line["step"])
        (step,) = of_step(threads["rank 0", "steps"], line["step"])
        waits = total_ns([one for one in compute if one.category == "wait"])
        whole = step.end_ns - step.start_ns
        self.assertAlmostEqual(whole / line["step_us"], 1000, delta=1)
        self.assertAlmostEqual((whole - waits) / line["compute_us"], 1000, delta=1)
        self.assertAlmostEqual((waits / 1000 - line["exposed_us"] - line["idle_us"])
                               / line["step_us"], 0, delta=0.01)
        for comm in line["comm"]:
            ours = [one for one in calls if one.name == comm["purpose"]]
            self.assertEqual(len(ours), comm["calls"])
            self.assertEqual(sum(one.args["bytes"] for one in ours), comm["bytes"])

    def test_of_processes_and_of_mpi_is_one_file_of_one_clock(self):
        needs_module("mpi")
        for number, command in enumerate(([tool("train_ddp"), "--nprocs", "2"],
                                          mpirun(2, tool("train_ddp")))):
            self.file = self.file.with_stem(f"trace{number}")
            threads = self.trace(*command, *STEPS)
            first, second = (of_step(threads[f"rank {rank}", "steps"], 3)[0] for rank in (0, 1))
            self.assertLess(max(first.start_ns, second.start_ns),
                            min(first.end_ns, second.end_ns))

    def test_has_the_steps_that_were_asked_for(self):
        threads = self.trace(tool("train_ddp"), "--steps", "9", "--trace-steps", "4:6")
        self.assertEqual([one.name for one in threads["rank 0", "steps"]],
                         ["step 4", "step 5", "step 6"])

    def test_keeps_a_file_that_exists(self):
        self.file.write_text("mine")
        done = run([tool("train_ddp"), "--steps", "1", "--trace", str(self.file)])
        self.assertEqual((done.returncode, self.file.read_text()), (0, "mine"))
        self.assertIn("trace.json.0", done.stderr)
        read(self.file.with_name("trace.json.0"))

    def test_is_whole_after_ctrl_c_and_after_a_kill(self):
        for number, sent in enumerate((signal.SIGINT, signal.SIGKILL)):
            path = self.file.with_stem(f"ended{number}")
            command = [tool("train_ddp"), "-t", "2", "--steps", "100000", "--trace", str(path),
                       "--trace-steps", "100000"]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  env=environment()) as job:
                end = time.monotonic() + 60
                while not path.exists() or path.stat().st_size < 50_000:
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.02)
                job.send_signal(sent)
                self.assertEqual(job.wait(60), 130 if sent == signal.SIGINT else -sent)
            self.assertGreater(len(read(path)["rank 1", "steps"]), 1)

    def test_is_refused_where_it_cannot_be_written(self):
        done = run([tool("train_ddp"), "--steps", "1", "--trace", "/nowhere/trace.json"])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("/nowhere/trace.json", done.stderr)
        for words in (["--trace-steps", "3"], ["--trace", "t.json", "--trace-steps", "5:2"]):
            done = run([tool("train_ddp"), *words])
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


if __name__ == "__main__":
    main()
