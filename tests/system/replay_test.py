"""linerate replay: the calls of a trainer made again, by every launcher; PyTorch's files."""

import gzip
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import json_lines, main, mpirun, needs_module, run, tool

STEPS = "3"


def replay(*words: str) -> subprocess.CompletedProcess:
    return run([tool("linerate"), "replay", *words])


def profile(rank: int, calls: list[tuple[str, int, int, dict]]) -> dict:
    """A profiler's file of a rank of two, as PyTorch writes it for NCCL."""
    events = []
    for number, (name, elements_in, elements_out, more) in enumerate(calls):
        start = 1000.0 * number
        args = {"External id": number, "Collective name": name, "dtype": "BFloat16",
                "In msg nelems": elements_in, "Out msg nelems": elements_out, "Group size": 2,
                "In split size": "[]", "Out split size": "[]", "Process Group Name": "0",
                "Process Group Description": "default_pg", "Process Group Ranks": "[0, 1]",
                "Rank": rank} | more
        events += [{"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "ts": start,
                    "dur": 9.5, "args": args},
                   {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_X", "ts": start + 50,
                    "dur": 400.0, "args": {"External id": number, "stream": 20}}]
    events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "ts": 0.0,
                   "dur": 5000.0, "args": {}})
    return {"schemaVersion": 1, "traceEvents": events,
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2}}


class Replayed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.trace = self.folder / "comm.jsonl"

    def record(self, program: str, *words: str) -> list[dict]:
        """Traces all steps; yields what rank 0 counted of them."""
        jsonl = self.folder / f"{program}.run.jsonl"
        done = run([tool(program), *words, "--steps", STEPS, "--trace-comm", str(self.trace),
                    "--jsonl", str(jsonl)])
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in json_lines(jsonl) if line["kind"] == "step"]

    def replayed(self, command: list[str], *words: str) -> list[dict]:
        jsonl = self.folder / "replay.jsonl"
        jsonl.unlink(missing_ok=True)
        done = run([*command, tool("linerate"), "replay", str(self.trace), "--repeat", "2",
                    "--jsonl", str(jsonl), *words])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("# replayed: ", done.stdout)
        return json_lines(jsonl)

    def test_makes_the_calls_that_the_trainer_counted(self):
        for program, words in (("train_ddp", ["-g", "2"]), ("train_fsdp", ["-g", "2"])):
            with self.subTest(program=program):
                self.trace = self.folder / f"{program}.jsonl"
                counted: dict[str, list[int]] = {}
                for comm in (x for step in self.record(program, *words) for x in step["comm"]):
                    of_purpose = counted.setdefault(f"{comm['axis']} {comm['purpose']}", [0, 0])
                    of_purpose[0] += comm["calls"]
                    of_purpose[1] += 2 * comm["bytes"]  # of both ranks
                made: dict[str, list[int]] = {}
                for line in self.replayed([], "-g", "2"):
                    if line["kind"] == "calls":
                        of_purpose = made.setdefault(line["purpose"], [0, 0])
                        of_purpose[0] += line["calls"]
                        of_purpose[1] += line["sent_bytes"]
                        self.assertGreater(line["recorded_us"], 0)
                        self.assertGreater(line["replayed_us"]["min"], 0)
                self.assertEqual(made, counted)

    def test_by_processes_by_mpi_and_without_gaps(self):
        self.record("train_3d", "-t", "4", "--tp", "2", "--pp", "2")
        calls = [line["calls"] for line in self.replayed([], "-t", "4") if line["kind"] == "calls"]
        commands = [([], ["--nprocs", "4"]), ([], ["--nprocs", "2", "-t", "2", "--gaps", "none"])]
        needs_module("mpi")
        for command, words in [*commands, (mpirun(4), [])]:
            with self.subTest(command=command, words=words):
                lines = self.replayed(command, *words)
                self.assertEqual([x["calls"] for x in lines if x["kind"] == "calls"], calls)
                self.assertEqual(lines[0]["gaps"], "none" if "none" in words else "keep")

    def test_gaps_take_as_long_as_in_the_job(self):
        self.record("train_ddp", "-g", "2", "--slow-rank", "1:40ms")
        kept = self.replayed([], "-g", "2")[-1]
        none = self.replayed([], "-g", "2", "--gaps", "none")[-1]
        self.assertGreater(kept["whole_us"], 3 * 40e3)
        self.assertGreater(kept["whole_us"], none["whole_us"])

    def test_files_of_pytorch(self):
        calls = [("allreduce", 4096, 4096, {}), ("_allgather_base", 512, 1024, {}),
                 ("all_to_allv", 8, 8, {"In split size": "[1, 3]", "Out split size": "[1, 3]"}),
                 ("wait", 0, 0, {}), ("barrier", 0, 0, {})]
        files = []
        for rank in (1, 0):
            own = list(calls)
            if rank == 1:
                own[2] = ("all_to_allv", 8, 8, {"In split size": "[3, 1]",
                                                "Out split size": "[3, 1]"})
            files.append(str(self.folder / f"of{rank}.pt.trace.json.gz"))
            Path(files[-1]).write_bytes(gzip.compress(json.dumps(profile(rank, own)).encode()))
        done = replay(*files, "-t", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("all_gather", "all_to_all_v", "default_pg", "2 KiB", "400.0"):
            self.assertIn(words, done.stdout)
        self.assertNotIn("not replayed", done.stdout)  # a wait moves no data


if __name__ == "__main__":
    main()
