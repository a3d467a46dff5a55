"""A trainer on two hosts whose clocks are 5000 s apart: who waits for whom, and one time line."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from hosts import Host, hosts, needs_hosts
from ports import free_port
from support import environment, json_lines, main, needs, needs_module, tool
from trace_file import of_step, read

APART_S = "5000"
SLEEP_US = 200_000
WORDS = ["--steps", "4", "--slow-rank", f"1:{SLEEP_US}us"]


def setUpModule() -> None:
    needs_module("gloo")
    needs_hosts()
    needs("unshare")
    probe = subprocess.run(["unshare", "--time", "--monotonic", APART_S, "--fork", "true"],
                           capture_output=True, text=True, check=False)
    if probe.returncode != 0:
        raise unittest.SkipTest(f"no time namespaces here: {probe.stderr.strip()}")


class TwoHosts(unittest.TestCase):
    def train(self, both: list[Host], ahead: int, *words: str) -> None:
        """A process on each host; the clock of host `ahead` shows more."""
        port = free_port()
        jobs = []
        for rank, host in enumerate(both):
            variables = environment(RANK=str(rank), WORLD_SIZE="2", LOCAL_RANK="0",
                                    MASTER_ADDR=both[0].address, MASTER_PORT=str(port))
            clock = ["unshare", "--time", "--monotonic", APART_S, "--fork"] if rank == ahead else []
            jobs.append(subprocess.Popen(host.command(*clock, tool("train_fsdp"), *WORDS, *words),
                                         env=variables, text=True, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.PIPE, stdin=subprocess.DEVNULL))
        for job in jobs:
            _, err = job.communicate(timeout=120)
            self.assertEqual(job.returncode, 0, err)

    def test_wait_and_transfer_are_told_apart_whichever_clock_shows_more(self):
        with hosts(2) as both:
            for ahead in (0, 1):
                with self.subTest(ahead=ahead), tempfile.TemporaryDirectory() as folder:
                    jsonl, trace = Path(folder) / "run.jsonl", Path(folder) / "trace.json"
                    self.train(both, ahead, "--jsonl", str(jsonl), "--trace", str(trace))
                    lines = json_lines(jsonl)
                    self.assertEqual(lines[0]["nnodes"], 2)
                    self.assertGreater(lines[0]["clock_error_us"], 0)
                    for line in lines[1:-1]:
                        self.check_step(line)
                    self.check_trace(trace)

    def check_step(self, line: dict) -> None:
        """Rank 0 waits while rank 1 sleeps, and no longer; data takes time of its own."""
        waited = {one["rank"]: one["us"] for one in line["waited_for"]}
        transfers = sum(comm["exposed_transfer_us"] for comm in line["comm"])
        self.assertGreater(waited[1], SLEEP_US / 2, line)
        self.assertLess(waited[1], line["step_us"] - transfers, line)
        self.assertGreater(transfers, 0, line)

    def check_trace(self, trace: Path) -> None:
        """The step of a rank lies where the other's does."""
        threads = read(trace)
        for step in (1, 4):
            first, second = (of_step(threads[f"rank {rank}", "steps"], step)[0] for rank in (0, 1))
            self.assertLess(max(first.start_ns, second.start_ns),
                            min(first.end_ns, second.end_ns))


if __name__ == "__main__":
    main()
