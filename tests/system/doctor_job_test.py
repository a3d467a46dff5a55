"""linerate doctor of other nodes: of a job, whose rank 0 compares and prints, and of snapshots."""

from __future__ import annotations

import json

from doctor import DoctorTest
from hosts import env_job, hosts, needs_hosts
from support import main, mpirun, needs, run, tool

# The second host has fewer files to open, and another algorithm.
ODD = 'if [ "$RANK" = 1 ]; then ulimit -n 512; export NCCL_ALGO=Ring; fi; exec "$@"'


class OneHost(DoctorTest):
    def test_ranks_of_one_node_give_one_node(self) -> None:
        needs("mpirun")
        done = run(mpirun(2, tool("linerate"), "doctor", "--json", "--only", "shm-size"))

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(json.loads(done.stdout)["nodes"]), 1)

    def test_a_snapshot_of_a_job_is_a_file_in_a_folder(self) -> None:
        needs("mpirun")
        done = run(mpirun(2, tool("linerate"), "doctor", "snapshot", "-o",
                          str(self.folder / "nodes")))

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(list((self.folder / "nodes").glob("*.json"))), 1)


class Elsewhere(DoctorTest):
    def test_rules_of_the_topology_run_on_a_snapshot_too(self) -> None:
        file = self.folder / "node.json"
        self.doctor("snapshot", "-o", str(file))
        snapshot = json.loads(file.read_text())
        link = {"speed": "16.0 GT/s PCIe", "width": 16}
        snapshot["topology"]["cpus"][0]["devices"] = [
            {"bus_id": "0000:51:00.0", "link": link | {"width": 8}, "max_link": link,
             "nets": [{"name": "mlx5_7", "speed_mbps": 200000, "state": "ACTIVE"}]}]
        file.write_text(json.dumps(snapshot))

        done = self.doctor("--snapshot", str(file))

        self.assertIn("warning: degraded-link: mlx5_7 at 0000:51:00.0\n", done.stdout)


class TwoHosts(DoctorTest):
    @classmethod
    def setUpClass(cls) -> None:
        needs_hosts()

    def both(self, port: int, *words: str, code: int = 0) -> str:
        with hosts(2) as pair:
            jobs = env_job(pair, port, "sh", "-c", ODD, "sh", tool("linerate"), "doctor", *words)
            (out, err), (quiet, other_err) = (job.communicate(timeout=100) for job in jobs)
        self.assertEqual([job.returncode for job in jobs], [code, code], err + other_err)
        self.assertEqual((quiet, other_err), ("", ""))
        return out

    def test_names_what_differs_once_and_all_end_alike(self) -> None:
        out = self.both(29541, "--fail-on", "problem", code=3)

        self.assertEqual(out.count("problem: unlike-node: host2\n  settings of NCCL: "
                                   "'NCCL_ALGO=Ring', and none on host1"), 1, out)
        self.assertRegex(out, r"warning: unlike-node: host\d\n  limits: 'Max open files  +512 ")
        self.assertIn(" on 2 nodes, ", out)

    def test_saves_a_file_of_each_host_that_tells_the_same(self) -> None:
        folder = str(self.folder / "nodes")
        self.assertEqual(self.both(29542, "snapshot", "-o", folder), "")

        done = self.doctor("--snapshot", folder, "--json")

        report = json.loads(done.stdout)
        self.assertEqual([node["node"] for node in report["nodes"]], ["host1", "host2"])
        found = [line["evidence"] for line in report["findings"] if line["rule"] == "unlike-node"]
        self.assertTrue(any("NCCL_ALGO=Ring" in text for text in found), found)

    def test_names_the_rank_that_has_not_come(self) -> None:
        with hosts(2) as pair:
            first, second = env_job(pair, 29543, "sh", "-c",
                                    '[ "$RANK" = 1 ] && exec sleep 60; exec "$@"', "sh",
                                    tool("linerate"), "doctor")
            note = first.stderr.readline()
            for job in (first, second):
                job.kill()
                job.communicate()
        self.assertIn("rank 1", note)


if __name__ == "__main__":
    main()
