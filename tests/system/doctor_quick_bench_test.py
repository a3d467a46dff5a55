#!/usr/bin/env python3
"""linerate doctor --quick-bench, and what leads from a check to a proof."""

from __future__ import annotations

import json

from doctor import DoctorTest
from support import environment, main


class DoctorQuickBench(DoctorTest):
    variables = environment()  # no GPU is seen

    def test_judges_a_run_on_this_node(self) -> None:
        done = self.doctor("--quick-bench", "--only", "hostname", "--json")

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)
        lines = [finding["subject"] for finding in told["findings"]
                 if finding["rule"] == "quick-bench"] + [told["nodes"][0].get("quick_bench", "")]
        self.assertTrue(any("all_reduce over host, " in line for line in lines), done.stdout)
        self.assertEqual(told["nodes"][0]["ran"], 2)

    def test_is_not_for_snapshots(self) -> None:
        done = self.doctor("--quick-bench", "--snapshot", "/")

        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--quick-bench measures this node, and --snapshot is about others",
                      done.stderr)

    def test_a_check_names_its_proofs(self) -> None:
        self.assertIn("\n  by runs: linerate doctor prove p2p\n",
                      self.doctor("--explain", "acs").stdout)


if __name__ == "__main__":
    main()
