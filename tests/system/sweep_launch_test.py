"""linerate sweep over two hosts through mpirun, cut and resumed, through srun, and by RANK and
WORLD_SIZE."""

import signal
import subprocess
import time
from pathlib import Path

from hosts import hosts, needs_hosts, rsh_agent
from ports import free_port
from slurm import cluster
from support import environment, main, needs, needs_module, needs_root
from sweep import LINERATE, QUICK, Sweeps

LIMIT_S = 200
# As torchrun starts ranks.
BY_VARIABLES = """#!/bin/sh
ranks=$1; shift
export WORLD_SIZE=$ranks MASTER_ADDR=127.0.0.1
for rank in $(seq 1 $((ranks - 1))); do RANK=$rank LOCAL_RANK=$rank "$@" & done
RANK=0 LOCAL_RANK=0 "$@"
"""


class Launchers(Sweeps):
    def words(self, start: str, *words: str) -> list[str]:
        return [LINERATE, "sweep", "-o", str(self.db), "--collectives", "all_reduce,all_gather",
                "--sizes", "64", "--seed", "1", "--options", QUICK, "--start", start, *words]

    def finished(self) -> int:
        if not self.db.exists() or not self.query("SELECT 1 FROM sqlite_schema"):
            return 0
        return self.query("SELECT count(*) FROM cases")[0][0]

    def test_mpirun_over_two_hosts_goes_on_after_a_kill(self):
        needs_module("mpi")
        needs_hosts()
        with hosts(2) as both:
            subnet = both[0].address.rsplit(".", 1)[0] + ".0/24"
            start = (f"mpirun --allow-run-as-root --mca plm rsh --mca plm_rsh_agent "
                     f"{rsh_agent(Path(self.folder), both[0])} --mca orte_keep_fqdn_hostnames 1 "
                     f"--mca oob_tcp_if_include {subnet} --mca btl tcp,self --mca "
                     f"btl_tcp_if_include {subnet} --host {both[0].address}:2,{both[1].address}:2")
            words = both[0].command(*self.words(
                start, "--nodes", "1,2", "--ranks-per-node", "1,2",
                "--environment", "NCCL_ALGO=Ring"))
            with subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as job:
                end = time.monotonic() + LIMIT_S
                while self.finished() < 2 and time.monotonic() < end:
                    time.sleep(0.1)
                job.send_signal(signal.SIGKILL)
            before = self.query("SELECT id, start_time FROM cases ORDER BY id")
            self.assertLess(len(before), 8)

            done = subprocess.run(words, env=environment(), capture_output=True, text=True,
                                  timeout=LIMIT_S, check=False)

        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        after = self.query("SELECT id, start_time FROM cases ORDER BY id")
        self.assertEqual(after[:len(before)], before)
        self.assertEqual(self.finished(), 8)
        self.assertEqual(set(self.query(
            "SELECT nodes, ranks_per_node, nnodes, nranks FROM cases JOIN results ON id = case_id"
        )), {(1, 1, 1, 1), (1, 2, 1, 2), (2, 1, 2, 2), (2, 2, 2, 4)})
        for records, in self.query("SELECT records FROM cases"):
            self.assertIn('"NCCL_ALGO=Ring"', records)  # it came to the ranks

    def test_srun_gets_the_numbers(self):
        for program in ("slurmctld", "slurmd", "srun", "munged"):
            needs(program)
        needs_root()
        with cluster(Path(self.folder), environment()) as variables:
            done = subprocess.run(
                self.words("srun --mpi=none", "--nodes", "1,2", "--ranks-per-node", "2"),
                env=variables | {"LINERATE_STORE": f"127.0.0.1:{free_port()}"},  # one host
                capture_output=True, text=True, timeout=LIMIT_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertEqual(set(self.query(
            "SELECT nodes, nranks FROM cases JOIN results ON id = case_id")), {(1, 2), (2, 4)})

    def test_a_launcher_that_sets_rank_and_world_size(self):
        launcher = self.folder / "launcher"
        launcher.write_text(BY_VARIABLES)
        launcher.chmod(0o755)

        done = subprocess.run(
            self.words(f"{launcher} {{ranks}}", "--ranks-per-node", "1,3"),
            env=environment(MASTER_PORT=str(free_port())), capture_output=True, text=True,
            timeout=LIMIT_S, check=False)

        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertEqual(set(self.query(
            "SELECT nranks FROM cases JOIN results ON id = case_id")), {(1,), (3,)})
        for records, in self.query("SELECT records FROM cases"):
            self.assertIn('"launcher":"env"', records)


if __name__ == "__main__":
    main()
