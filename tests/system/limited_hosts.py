"""Runs between hosts whose cables carry less than their cores could move."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from hosts import Host, needs_hosts
from support import needs

SWEEP = ["-b", "512K", "-e", "1M", "-f", "2", "-n", "3", "-w", "1"]
RATE_GBPS = 0.0375  # of each host's cable in both directions
RATE, SLOW_RATE = "300mbit", "30mbit"


def limit(host: Host, up: str = RATE, down: str = RATE) -> None:
    """What the host sends and what it receives; nothing is dropped."""
    switch, inside = f"{host.namespace[:-1]}sw", host.cable.replace("p", "e")
    for namespace, device, rate in ((host.namespace, inside, up), (switch, host.cable, down)):
        subprocess.run(["ip", "netns", "exec", namespace, "tc", "qdisc", "replace", "dev", device,
                        "root", "tbf", "rate", rate, "burst", "32kb", "latency", "1s"],
                       check=True, capture_output=True)


class LimitedHostsCase(unittest.TestCase):
    """Has a folder for each test, and in it the record that its runs write."""

    @classmethod
    def setUpClass(cls):
        needs_hosts()
        needs("tc")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.record = self.folder / "run.jsonl"
