"""linerate replay: whether it is the network, on emulated ones of which one is slower."""

import tempfile
import unittest
from pathlib import Path

from support import json_lines, main, run, tool

NETWORK = "nodes: 2\nranks_per_node: 1\nnic: {{bandwidth: {} MB/s, latency: 5 us}}\n"


class Networks(unittest.TestCase):
    def test_a_slower_one_is_found(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            trace, jsonl = folder / "comm.jsonl", folder / "replay.jsonl"
            ranks = ["-t", "2", "--emulate", str(folder / "network.yaml")]
            # So slow that a call takes long beside the time for which a busy machine stops a rank:
            # of a call whose last rank comes late, the transfer has begun before.
            speed, slower_speed = 8, 2
            (folder / "network.yaml").write_text(NETWORK.format(speed))
            done = run([tool("train_fsdp"), *ranks, "--steps", "2", "--trace-steps", "2:2",
                        "--trace-comm", str(trace)])
            self.assertEqual(done.returncode, 0, done.stderr)
            found = []
            for bandwidth in (speed, slower_speed):
                (folder / "network.yaml").write_text(NETWORK.format(bandwidth))
                done = run([tool("linerate"), "replay", str(trace), *ranks, "--repeat", "3",
                            "--gaps", "none", "--jsonl", str(jsonl)])
                self.assertEqual(done.returncode, 0, done.stderr)
                found.append(json_lines(jsonl)[-1])
            self.assertIn("times as long as recorded: this fabric", done.stdout)
            same, slower = (end["replayed_us"]["median"] for end in found)
            self.assertAlmostEqual(slower / same, 4, delta=1)


if __name__ == "__main__":
    main()
