"""Open MPI over the TCP of two hosts is judged by it, and over anything else not at all."""

import subprocess

from hosts import hosts, rsh_agent
from hosts_test import mpirun_across
from limited_hosts import SWEEP, LimitedHostsCase, limit
from support import environment, json_lines, main, needs, needs_module, tool


class Verdicts(LimitedHostsCase):
    def mpi(self, *options: str) -> tuple[list[dict], str]:
        needs("mpirun")
        with hosts(2) as both:
            for host in both:
                limit(host)
            agent = rsh_agent(self.folder, both[0])
            mpirun, *words = mpirun_across(agent, both, tool("all_reduce_perf"), *SWEEP,
                                           "--verdict", "--jsonl", str(self.record))
            done = subprocess.run(both[0].command(mpirun, *options, *words), text=True,
                                  capture_output=True, timeout=120, env=environment(), check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = json_lines(self.record)
        return [line for line in lines if line["kind"] != "finding"], done.stderr

    def test_open_mpi_over_its_tcp_is_judged(self):
        needs_module("mpi")
        (run, *results, _), _ = self.mpi()

        self.assertRegex(run["transport"], r"^TCP on lr\d+e1$")
        self.assertEqual({result["verdict"] for result in results}, {"ok"}, results)
        self.assertEqual({result["bound_by"] for result in results}, {"network"})

    def test_open_mpi_over_something_else_is_not(self):
        needs_module("mpi")
        anything = ("pml_ucx_tls", "pml_ucx_devices")
        (run, *results, end), err = self.mpi(
            "--mca", "pml", "ucx", *(word for name in anything for word in ("--mca", name, "any")))

        self.assertEqual(run["transport"], "MPI")
        self.assertNotIn("network", run)
        self.assertNotIn("expected_busbw_gbps", results[0])
        self.assertIn("--verdict: nothing was judged: the bound of 2 hosts is their network's", err)


if __name__ == "__main__":
    main()
