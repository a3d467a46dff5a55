"""Communication that hides behind backward, on a network that is slower than this machine.

What the network needs for the gradients follows from its file, whatever else this machine does.
Waits for a rank that other work delays add to what is exposed: they are left out where that must
be little.
"""

import statistics
import tempfile
import unittest
from pathlib import Path

from support import json_lines, main, run, tool

STEPS, WARM_UP, ATTEMPTS = 8, 2, 4
# The gradients of micro, 25.8 MB, need 86 ms; backward of one sequence takes longer on any core.
NETWORK = "nodes: 2\nranks_per_node: 1\nnic: {bandwidth: 300 MB/s, latency: 5 us}\n"
NEEDED_US = 86e3


class OnASlowNetwork(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.steps = {how: cls.trained(how) for how in ("off", "fake")}

    @staticmethod
    def trained(overlap: str) -> list[dict]:
        """Its steps, after the first ones."""
        with tempfile.TemporaryDirectory() as folder:
            network, path = Path(folder) / "network.yaml", Path(folder) / "run.jsonl"
            network.write_text(NETWORK)
            done = run([tool("train_ddp"), "-t", "2", "--emulate", str(network), "--model", "micro",
                        "--batch", "2", "--bucket-cap-mb", "1", "--steps", str(STEPS),
                        "--overlap", overlap, "--jsonl", str(path)])
            assert done.returncode == 0, done.stderr
            return [line for line in json_lines(path) if line["kind"] == "step"][WARM_UP:]

    @staticmethod
    def exposed_us(steps: list[dict], *parts: str) -> float:
        """Median over the steps of what compute waited for gradients, of these parts."""
        return statistics.median(
            sum(one[f"exposed_{part}_us"] for one in step["comm"] for part in parts
                if one["purpose"].startswith("gradient")) for step in steps)

    def test_all_of_it_is_exposed_without_overlap(self):
        self.assertGreater(self.exposed_us(self.steps["off"], "wait", "transfer"), 0.95 * NEEDED_US)

    def test_more_than_half_of_it_hides_with_overlap(self):
        """In the best of some runs: other work on the cores exposes more, and hides nothing."""
        for _ in range(ATTEMPTS):
            exposed_us = self.exposed_us(self.trained("on"), "transfer")
            if exposed_us < NEEDED_US / 2:
                return
        self.fail(f"{exposed_us} us of {NEEDED_US} are exposed")

    def test_none_of_it_hides_where_reductions_begin_after_backward(self):
        exposed_us = self.exposed_us(self.steps["fake"], "wait", "transfer")
        self.assertGreater(exposed_us, 0.95 * NEEDED_US)


if __name__ == "__main__":
    main()
