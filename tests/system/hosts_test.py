"""Two hosts: MPI crosses them, the host backend says why it cannot, a dead host is noticed."""

import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from hosts import env_job, hosts, needs_hosts, rsh_agent
from job import Job, rank_pids, wait_for_end
from support import environment, json_lines, main, needs, rows, tool

SWEEP = ["-b", "8", "-e", "64K", "-f", "8", "-n", "5"]
NOTICED_S = 5.0  # by keep-alive probes
ABORTED_S = 10.0  # the grace of those that wait inside MPI, and a busy machine


def setUpModule() -> None:
    needs_hosts()


def mpirun_across(agent: Path, both: list, *words: str) -> list[str]:
    where = ",".join(f"{host.address}:1" for host in both)
    subnet = both[0].address.rsplit(".", 1)[0] + ".0/24"
    return ["mpirun", "--allow-run-as-root", "--mca", "plm", "rsh", "--mca", "plm_rsh_agent",
            str(agent), "--mca", "orte_keep_fqdn_hostnames", "1", "--mca", "oob_tcp_if_include",
            subnet, "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", subnet, "--host",
            where, "-np", str(len(both)), *words]


class TwoHosts(unittest.TestCase):
    def test_mpi_crosses_them_and_sees_two_nodes(self):
        needs("mpirun")
        with hosts(2) as both, tempfile.TemporaryDirectory() as folder:
            jsonl = Path(folder) / "run.jsonl"
            agent = rsh_agent(Path(folder), both[0])
            command = mpirun_across(agent, both, tool("all_reduce_perf"), *SWEEP, "--jsonl",
                                    str(jsonl))
            done = subprocess.run(both[0].command(*command), capture_output=True, text=True,
                                  timeout=120, env=environment(), check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(rows(done.stdout)), 5, done.stdout)
            self.assertIn('"nnodes":2', jsonl.read_text())
            self.assertIn("host1", done.stdout)
            self.assertIn("host2", done.stdout)

    def test_a_host_that_dies_is_noticed_and_its_rank_named(self):
        needs("mpirun")
        with hosts(2) as both, tempfile.TemporaryDirectory() as folder:
            agent = rsh_agent(Path(folder), both[0])
            command = mpirun_across(agent, both, tool("all_reduce_perf"), *SWEEP, "-N", "0")
            job = Job(Path(folder), both[0].command(*command))
            try:
                job.wait_for_rows(3)
                first = rank_pids(job.out)[0]
                both[1].cut_off()
                wait_for_end(first, NOTICED_S + ABORTED_S)
                # What Open MPI says of the abort is not looked at: it fails now and then to print
                # that when one of its daemons is gone.
                errors = job.wait_for_error("cannot be reached any more")
            finally:
                job.stop()  # mpirun itself waits for the daemon on the dead host
            self.assertRegex(errors, r"rank 1 \(host2, pid \d+\) cannot be reached any more")
            self.assertGreaterEqual(len(json_lines(job.jsonl)), 7)

    def test_the_host_backend_refuses_to_span_them(self):
        with hosts(2) as both:
            jobs = env_job(both, 29512, tool("all_reduce_perf"), *SWEEP, "--backend", "host")
            for job in jobs:
                _, err = job.communicate(timeout=60)
                self.assertEqual(job.returncode, 5, err)
                self.assertIn("(host1 and host2): use --backend gloo, or start", err)

    def test_a_rank_that_never_comes_ends_the_initialisation(self):
        with hosts(1) as one:
            variables = environment(RANK="0", WORLD_SIZE="2", MASTER_ADDR=one[0].address,
                                    MASTER_PORT="29513")
            start = time.monotonic()
            done = subprocess.run(one[0].command(tool("all_reduce_perf"), *SWEEP, "-T", "2"),
                                  env=variables, capture_output=True, text=True, timeout=60,
                                  check=False)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertLess(time.monotonic() - start, 12)
            self.assertIn("rank 1", done.stderr)


if __name__ == "__main__":
    main()
