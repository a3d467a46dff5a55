"""linerate topo --explain: what it says of ports that NCCL leaves out."""

import os
import tempfile
import unittest
from pathlib import Path

from support import main, run, tool

EXPLAIN = [tool("linerate"), "topo", "--explain"]


class Explanations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def add(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def link(self, name: str, target: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(os.path.relpath(self.folder / target, file.parent))

    def test_say_why_nccl_leaves_a_port_out(self):
        self.add("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n")
        for bus, name, state in (("01", "mlx5_0", "4: ACTIVE"), ("02", "mlx5_1", "1: DOWN")):
            device = f"sys/devices/pci0000:00/0000:{bus}:00.0"
            self.add(f"{device}/class", "0x020700\n")
            self.link(f"sys/bus/pci/devices/0000:{bus}:00.0", device)
            self.link(f"sys/class/infiniband/{name}/device", device)
            self.add(f"sys/class/infiniband/{name}/ports/1/state", state + "\n")
            self.add(f"sys/class/infiniband/{name}/ports/1/link_layer", "InfiniBand\n")
        device = "sys/devices/pci0000:00/0000:03:00.0"
        self.add(f"{device}/class", "0x020000\n")
        self.link("sys/bus/pci/devices/0000:03:00.0", device)
        self.add(f"{device}/net/eth0/operstate", "up\n")
        self.link(f"{device}/net/eth0/device", device)
        self.link("sys/class/net/eth0", f"{device}/net/eth0")

        for name, why in (("eth0", "an InfiniBand or RoCE port is up"), ("mlx5_1", "is DOWN"),
                          ("eth7", "Unknown device 'eth7'")):
            done = run([*EXPLAIN, "mlx5_0", name, "--root", str(self.folder)])
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(why, done.stderr)
            self.assertEqual("NCCL leaves it out" in done.stderr, name != "eth7")


if __name__ == "__main__":
    main()
