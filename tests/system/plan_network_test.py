"""linerate plan --emulate: this machine's ranks on a network, and orders of the mesh on nodes."""

import json
import tempfile
import unittest
from pathlib import Path

from plan_test import TINY, plan
from support import main, run, tool


class PlanOverANetwork(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "machine.json"

    def network(self, keys: str, name: str = "network.yaml") -> str:
        """The name of a file that describes one."""
        path = self.file.with_name(name)
        path.write_text("{" + keys + "}\n")
        return str(path)

    def test_tells_the_orders_of_a_mesh_apart_on_an_emulated_network(self) -> None:
        network = self.network("nodes: 2, ranks_per_node: 2, nic: {bandwidth: 20 MB/s, "
                               "latency: 1 ms}")
        words = [*TINY, "--ranks", "4", "--batch", "4", "--emulate", network, "--measured",
                 str(self.file), "--json"]
        layout = "--pp 2 --micro-batch 1"

        stages_apart, replicas_apart = (
            plan(*words, "--explain", layout + order) for order in ("", " --order pp-dp"))

        self.assertEqual(stages_apart.returncode, 0, stages_apart.stderr)
        self.assertEqual(replicas_apart.returncode, 0, replicas_apart.stderr)
        near, far = (json.loads(done.stdout) for done in (stages_apart, replicas_apart))
        self.assertNotIn("--order", near["options"])
        self.assertIn("--order pp-dp", far["options"])
        # A stage's gradients, of a quarter of a megabyte: over the network 12 ms at least.
        self.assertGreater(far["parts_us"]["dp"], near["parts_us"]["dp"] + 10000)
        self.assertGreater(near["parts_us"]["bubble"], 2000)  # activations take 1 ms each

    def test_a_plan_over_a_network_is_for_that_network(self) -> None:
        network = self.network("nodes: 2, ranks_per_node: 1, nic: {bandwidth: 1 GB/s, "
                               "latency: 20 us}")
        words = [*TINY, "--batch", "4"]
        known = ["--measured", str(self.file)]

        made = plan(*words, "--ranks", "2", "--emulate", network, *known, "--most", "1")
        elsewhere = plan(*words, "--ranks", "2", *known)
        train = [tool("train_3d"), "-t", "2", *words, "--steps", "1", "--plan", str(self.file)]
        done, alone = run([*train, "--emulate", network]), run(train)

        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("over the network", made.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        for refused in (elsewhere, alone):
            self.assertEqual(refused.returncode, 2)
            self.assertIn("measured over another network", refused.stderr)

    def test_refuses_what_cannot_be_measured(self) -> None:
        nodes = "nodes: 2, ranks_per_node: 2, nic: {bandwidth: 1 GB/s, latency: 1 us}"
        network = self.network(nodes)
        dilated = self.network(nodes + ", dilation: 10", "dilated.yaml")
        for words, sentence in (
            (["--ranks", "6", "--emulate", network], "a power of two"),
            (["--ranks", "8", "--emulate", network], "places for 4 ranks"),
            (["--ranks", "8", "--emulate", network, "--platform", "dgx-a100"],
             "leave --platform out"),
            (["--ranks", "4", "--emulate", dilated], "without dilation"),
            (["--ranks", "4", "--emulate", "/etc/passwd"], "/etc/passwd"),
        ):
            with self.subTest(words=words):
                done = plan("--model", "nano", *words)

                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, "")
                self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
                self.assertIn(sentence, done.stderr)


if __name__ == "__main__":
    main()
