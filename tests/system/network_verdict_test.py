"""Runs over the TCP of several hosts are judged by it, and a host behind a slow link is named."""

from collections.abc import Mapping

from hosts import env_job, hosts
from judged import subjects_of_what_is_slow
from limited_hosts import RATE, RATE_GBPS, SLOW_RATE, SWEEP, LimitedHostsCase, limit
from ports import free_port
from support import json_lines, main, needs_module, tool


class Verdicts(LimitedHostsCase):
    def gloo(self, count: int, *words: str, up: Mapping[int, str] | None = None,
             name: str = "all_reduce_perf") -> list[dict]:
        """The records of a run on `count` hosts."""
        needs_module("gloo")
        self.record.unlink(missing_ok=True)
        with hosts(count) as all_hosts:
            for number, host in enumerate(all_hosts):
                limit(host, up=(up or {}).get(number, RATE))
            jobs = env_job(all_hosts, free_port(), tool(name), *SWEEP, *words, "--jsonl",
                           str(self.record))
            (self.out, err), *_ = [job.communicate(timeout=120) for job in jobs]
        self.assertEqual([job.returncode for job in jobs], [0] * count, err)
        lines = json_lines(self.record)
        self.findings = [line for line in lines if line["kind"] == "finding"]
        return [line for line in lines if line["kind"] != "finding"]

    def test_a_healthy_run_reaches_what_the_network_gives(self):
        for name in ("all_reduce_perf", "gather_perf"):
            with self.subTest(name=name):
                run, *results, end = self.gloo(3, name=name)
                self.assertEqual({result["verdict"] for result in results}, {"ok"}, results)
                for probed in (run, end):
                    self.assertEqual([point["node"] for point in probed["network"]], [0, 1, 2])
                    for point in probed["network"]:
                        for key in ("send_gbps", "receive_gbps"):
                            self.assertGreater(point[key], 0.7 * RATE_GBPS, probed["network"])
                            self.assertLess(point[key], 1.5 * RATE_GBPS, probed["network"])
                bound = "network (node 0, host1)" if name == "gather_perf" else "network"
                self.assertEqual({result["bound_by"] for result in results}, {bound})
                self.assertEqual(subjects_of_what_is_slow(self.findings), [])

    def test_a_host_whose_way_out_is_slow_makes_results_low_and_is_named(self):
        _, *results, end = self.gloo(3, up={1: SLOW_RATE})

        self.assertEqual({result["verdict"] for result in results}, {"low"}, results)
        self.assertEqual(end["verdict"], "low")
        self.assertEqual(subjects_of_what_is_slow(self.findings), ["what node 1 sends to others"])

    def test_of_two_hosts_the_probe_tells_what_their_link_gives(self):
        run, *results, end = self.gloo(2, up={1: SLOW_RATE})

        self.assertEqual({result["bound_by"] for result in results}, {"network"})
        self.assertEqual({result["verdict"] for result in results}, {"ok"}, results)
        for result in results:
            self.assertLess(result["expected_busbw_gbps"], 0.3 * RATE_GBPS)
        self.assertEqual(subjects_of_what_is_slow(self.findings), [])
        self.assertLess(run["network"][1]["send_gbps"], 0.3 * RATE_GBPS)

    def test_no_run_of_several_ranks_on_each_host_is_above_the_bound(self):
        for name in ("all_reduce_perf", "alltoall_perf", "sendrecv_perf"):
            for average in ("1", "3"):
                with self.subTest(name=name, average=average):
                    _, *results, end = self.gloo(2, "-t", "4", "-a", average, name=name)
                    judged = [result for result in results if "verdict" in result]
                    self.assertEqual(judged, results)
                    self.assertNotEqual(end["verdict"], "above", results)


if __name__ == "__main__":
    main()
