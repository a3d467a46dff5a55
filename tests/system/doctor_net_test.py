#!/usr/bin/env python3
"""linerate doctor on a host whose cable is shaped, in a network namespace."""

from __future__ import annotations

import json
import subprocess
from unittest import TestCase

from hosts import Host, hosts, needs_hosts
from limited_hosts import limit
from support import main, needs, tool


class ShapedHost(TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        needs_hosts()
        needs("tc")

    def findings(self, host: Host) -> list[dict]:
        words = host.command(tool("linerate"), "doctor", "--here", "--json", "--only",
                             "shaped-interface,half-duplex,interface-errors,tcp-losses")
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["findings"]

    def test_names_the_interface_and_its_queue(self) -> None:
        with hosts(1) as (host,):
            self.assertEqual(self.findings(host), [])
            limit(host, up="100mbit")
            found = self.findings(host)
        self.assertEqual([finding["rule"] for finding in found], ["shaped-interface"])
        self.assertRegex(found[0]["evidence"], "qdisc tbf .* rate 100Mbit")


if __name__ == "__main__":
    main()
