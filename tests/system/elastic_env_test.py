"""--elastic of ranks that are started one by one, with RANK, WORLD_SIZE, MASTER_ADDR and
MASTER_PORT: those that are left agree, and one that is started again takes part again."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from elastic import TRAINING, Elastic, children_of
from ports import free_port
from support import environment, main, needs_module, run, tool

NRANKS = 4


def sockets_of(pid: int) -> set[str]:
    links = set()
    with suppress(OSError):  # it, or one of its files, may be gone
        for file in Path(f"/proc/{pid}/fd").iterdir():
            links.add(str(file.readlink()))
    return links


def is_connected(pid: int, port: int) -> bool:
    """Whether the process has a TCP connection to that port of this host."""
    sockets = sockets_of(pid)
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, _, remote, state, *_, inode = line.split()[:10]
        established = state == "01" and int(remote.split(":")[1], 16) == port
        if established and f"socket:[{inode}]" in sockets:
            return True
    return False


class Env(Elastic):
    def setUp(self):
        super().setUp()
        self.variables = {"WORLD_SIZE": str(NRANKS), "MASTER_ADDR": "127.0.0.1",
                          "MASTER_PORT": str(free_port())}

    def start(self, rank: int, *words: str) -> subprocess.Popen:
        job = subprocess.Popen(
            [tool("train_fsdp"), *TRAINING, *self.save, "--jsonl", str(self.jsonl), "--backend",
             "host", *words], text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=environment(RANK=str(rank), **self.variables))
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        return job

    def kill_at(self, step: int, rank: int) -> None:
        self.await_step(self.jobs[0], step)
        self.jobs[rank].kill()

    def kill_child_at(self, step: int, rank: int) -> None:
        self.await_step(self.jobs[0], step)
        os.kill(*children_of(self.jobs[rank].pid), signal.SIGKILL)

    def await_connection(self, rank: int) -> None:
        """Until it, or what it started, has a connection to the store."""
        job, port = self.jobs[rank], int(self.variables["MASTER_PORT"])
        while not any(is_connected(pid, port) for pid in (job.pid, *children_of(job.pid))):
            self.assertIsNone(job.poll())
            time.sleep(0.005)

    def await_recoveries(self, count: int) -> None:
        while self.jsonl.read_text().count('"recovery"') < count:
            self.assertIsNone(self.jobs[0].poll())
            time.sleep(0.005)

    def ends(self, *ranks: int) -> None:
        for rank in ranks:
            said = self.jobs[rank].communicate(timeout=60)[1]
            self.assertEqual(self.jobs[rank].returncode, 0, said)
        self.check_losses()

    def check_recoveries(self, *expected: tuple[list[int], int]) -> None:
        self.assertEqual([(line["lost_ranks"], line["nranks"]) for line in self.lines("recovery")],
                         list(expected))

    def test_goes_on_with_those_that_are_left_and_those_that_come_back(self):
        self.jobs = [self.start(rank) for rank in range(NRANKS)]
        self.kill_at(3, 3)
        self.kill_at(6, 1)
        self.await_recoveries(2)
        # The training goes no further meanwhile, however fast the machine is.
        os.kill(*children_of(self.jobs[2].pid), signal.SIGSTOP)
        self.jobs[3] = self.start(3)
        self.await_connection(3)
        time.sleep(0.5)  # until it waits to take part
        self.jobs[2].kill()
        self.ends(0, 3)
        self.check_recoveries(([3], 3), ([1], 2), ([1], 2))

    def test_starts_a_rank_again_whose_parent_is_left(self):
        needs_module("gloo")
        self.jobs = [self.start(rank, "--backend", "gloo") for rank in range(NRANKS)]
        self.kill_child_at(3, 0)
        self.kill_child_at(6, 2)
        self.ends(0, 1, 2, 3)
        self.check_recoveries(([0], 4), ([2], 4))

    def test_ends_with_the_process_that_keeps_the_store(self):
        self.jobs = [self.start(rank) for rank in range(NRANKS)]
        self.kill_at(3, 0)
        for job in self.jobs[1:]:
            said = job.communicate(timeout=60)[1]
            self.assertEqual(job.returncode, 4, said)
            self.assertIn("rank 0, which says who takes part, does not answer", said)

    def test_leaves_it_to_torchrun(self):
        done = run([tool("train_ddp"), *self.save], RANK="0", TORCHELASTIC_RUN_ID="none",
                   **self.variables)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("torchrun starts ranks again by itself", done.stderr)


if __name__ == "__main__":
    main()
