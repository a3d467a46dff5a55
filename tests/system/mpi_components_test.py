"""Records of Open MPI name the components that may make collective calls: those that it enabled."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from hosts import hosts, rsh_agent
from hosts_test import mpirun_across
from support import environment, json_lines, main, mpirun, needs, needs_module, run, tool

RUN = [tool("all_reduce_perf"), "-b", "8", "-e", "8", "-n", "2"]
ENABLED = re.compile(r"selecting +(\w+), priority +(\d+), Enabled")


class Components(unittest.TestCase):
    def setUp(self):
        needs("mpirun")
        needs_module("mpi")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def recorded(self) -> list[str]:
        begin = json_lines(self.folder / "run.jsonl")[0]
        self.assertRegex(begin["tuning"], "^coll ")
        return begin["tuning"].removeprefix("coll ").split(", ")

    def enabled(self) -> list[str]:
        """By the log of rank 0, of the communicator that was made last."""
        log = next(self.folder.glob("log/*/rank.0/stderr")).read_text()
        last = log.split("comm_select: new communicator:")[-1]
        found = [(-int(priority), name) for name, priority in ENABLED.findall(last)]
        return [f"{name} {-priority}" for priority, name in sorted(found)]

    def check(self, *settings: str) -> list[str]:
        words = [word for setting in settings for word in ("--mca", *setting.split())]
        command, *launch = mpirun(2, "--mca", "coll_base_verbose", "10", "--output-filename",
                                  str(self.folder / "log"), *words)
        done = run([command, *launch, *RUN, "--jsonl", str(self.folder / "run.jsonl")])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.recorded(), self.enabled())
        return self.recorded()

    def test_without_settings(self):
        self.assertEqual(self.check()[0], "tuned 30")

    def test_without_the_first(self):
        self.assertNotIn("tuned 30", self.check("coll ^tuned"))

    def test_another_first(self):
        self.assertEqual(self.check("coll_sm_priority 90")[:2], ["sm 90", "tuned 30"])

    def test_those_that_were_named(self):
        self.assertEqual(self.check("coll basic,self,libnbc", "coll_basic_priority 7"),
                         ["libnbc 10", "basic 7"])

    def test_one_that_declines_a_single_host(self):
        self.assertEqual(self.check("coll_han_priority 90")[0], "tuned 30")

    def test_one_for_several_hosts(self):
        with hosts(2) as both:
            agent = rsh_agent(self.folder, both[0])
            command, *words = mpirun_across(agent, both, *RUN, "--jsonl",
                                            str(self.folder / "run.jsonl"))
            done = subprocess.run(both[0].command(command, "--mca", "coll_han_priority", "90",
                                                  *words), text=True, capture_output=True,
                                  timeout=120, env=environment(), check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.recorded()[:2], ["han 90", "tuned 30"])


class OtherBackends(unittest.TestCase):
    def test_tell_none(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.jsonl"
            done = run([*RUN, "-t", "2", "--jsonl", str(path)])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotRegex(json_lines(path)[0].get("tuning", ""), "^coll ")


if __name__ == "__main__":
    main()
