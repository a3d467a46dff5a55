"""linerate sweep pairs: which host is slow, over shaped cables and on emulated networks."""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from hosts import hosts, needs_hosts, rsh_agent
from hosts_test import mpirun_across
from limited_hosts import limit
from support import environment, main, needs, tool

EMULATED = """
nodes: 8
ranks_per_node: 2
nic: {bandwidth: 10 GB/s, latency: 2 us, rails: 2}
dilation: 50
slow: SLOW
"""


def search(*words: str, **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run([tool("linerate"), "sweep", "pairs", *words], capture_output=True,
                          text=True, timeout=120, check=False, env=environment(**variables))


class Emulated(unittest.TestCase):
    def found(self, slow: str) -> dict:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "cluster.yaml"
            file.write_text(EMULATED.replace("SLOW", slow))
            done = search("--emulate", str(file), "-t", "16", "-e", "1M", "-n", "3", "--json",
                          "--seed", "5")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(done.returncode, 3 if found["faults"] else 0)
        return found

    def test_a_healthy_network_has_no_faults(self):
        self.assertEqual(self.found("[]")["faults"], [])

    def test_one_rail_of_a_node_is_named(self):
        faults = self.found("{link: node3.nic1.up, factor: 2}")["faults"]
        self.assertEqual([(fault["kind"], fault["ranks"]) for fault in faults], [("rank", [7])])
        self.assertLess(faults[0]["send_gbps"], 0.7 * faults[0]["receive_gbps"])

    def test_a_node_with_two_slow_rails_is_named_as_a_node(self):
        found = self.found("[{link: node3.nic0.up, factor: 2}, {link: node3.nic1.up, factor: 2}]")
        self.assertEqual([fault["kind"] for fault in found["faults"]], ["node"])
        self.assertEqual(found["exclude"], ["node3"])


class Hosts(unittest.TestCase):
    def test_the_host_that_sends_slowly_is_named_through_mpirun(self):
        needs_hosts()
        needs("mpirun")
        needs("tc")
        with hosts(4) as all_hosts, tempfile.TemporaryDirectory() as folder:
            for host in all_hosts:
                limit(host)
            limit(all_hosts[2], up="120mbit")
            agent = rsh_agent(Path(folder), all_hosts[0])
            file = Path(folder) / "hostfile"
            file.write_text("".join(f"host{n} slots=1\n" for n in range(1, 5)))
            command = mpirun_across(agent, all_hosts, tool("linerate"), "sweep", "pairs", "-e",
                                    "1M", "-n", "4", "--hostfile", str(file))
            done = subprocess.run(all_hosts[0].command(*command), capture_output=True, text=True,
                                  timeout=120, env=environment(), check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^  node +host3 ")
        sends, receives = re.search(r"sends ([0-9.]+), receives ([0-9.]+)", done.stdout).groups()
        self.assertLess(float(sends), 0.7 * float(receives))
        self.assertIn("--exclude=host3\n", done.stdout)
        self.assertIn("host2 slots=1\n# host3 slots=1\nhost4", done.stdout)


if __name__ == "__main__":
    main()
