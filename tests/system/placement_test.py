"""Placements under the launchers that they are written for: Open MPI's and Slurm's bindings."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from slurm import cluster
from support import environment, main, needs, needs_root, run, tool

# Two sockets of four cores; Linux numbers the second threads behind all first ones.
SOCKETS = "pack:2 [numa] l3:1 core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)"
BOUND = re.compile(r"Process rank: (\d+) Bound: (.*?):\[")


def place(*words: str) -> str:
    done = run([tool("linerate"), "topo", "place", *words])
    assert done.returncode == 0, done.stderr
    return done.stdout


def cores_of_ranks(told: str) -> dict[int, list[int]]:
    """From mpirun --display-map: hwloc's numbers of the cores of each rank."""
    return {int(rank): [int(core) for core in re.findall(r"\[core (\d+)", where)]
            for rank, where in BOUND.findall(told)}


class OpenMpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for program in ("mpirun", "lstopo-no-graphics"):
            needs(program)
        version = run(["mpirun", "--version"]).stdout
        if "Open MPI" not in version or ") 4." not in version:
            raise unittest.SkipTest("mpirun is not that of Open MPI 4")
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.machine = str(Path(cls.folder) / "sockets.xml")
        run(["lstopo-no-graphics", "--input", SOCKETS, "--of", "xml", "-f", cls.machine])

    def bound(self, *words: str) -> dict[int, list[int]]:
        """The map that mpirun makes of the sockets; it cannot launch on cores that are not here."""
        done = run(["mpirun", "--allow-run-as-root", "--display-map", *words, "true"],
                   HWLOC_XMLFILE=self.machine, HWLOC_THISSYSTEM="1")
        return cores_of_ranks(done.stdout + done.stderr)

    def planned(self, nranks: str) -> dict[int, list[int]]:
        plan = json.loads(place("--hwloc", self.machine, "--nranks", nranks, "--format", "json"))
        cores = [binding["cores"] for binding in plan["bindings"]]
        return {rank["rank"]: cores[rank["local_rank"]] for rank in plan["ranks"]}

    def test_a_rankfile_binds_as_planned(self):
        for nranks in ("2", "3", "4", "8"):
            with self.subTest(nranks=nranks):
                file = Path(self.folder) / "ranks.txt"
                place("--hwloc", self.machine, "--nranks", nranks, "--rankfile", str(file))

                self.assertEqual(self.bound("-np", nranks, "--rankfile", str(file)),
                                 self.planned(nranks))

    def test_the_options_bind_as_planned(self):
        for nranks in ("2", "4", "8"):
            with self.subTest(nranks=nranks):
                words = place("--hwloc", self.machine, "--nranks", nranks, "--format", "mpirun")

                self.assertEqual(self.bound(*words.split()), self.planned(nranks))

    def test_a_rankfile_of_hardware_threads_binds_to_their_cores(self):
        xml = Path(self.folder) / "nccl.xml"
        xml.write_text('<system version="1"><cpu numaid="0" affinity="00000f0f" arch="x86_64"/>'
                       '<cpu numaid="1" affinity="0000f0f0" arch="x86_64"/></system>')
        file = Path(self.folder) / "threads.txt"
        place("--nccl-xml", str(xml), "--nranks", "4", "--rankfile", str(file))

        self.assertEqual(
            self.bound("-np", "4", "--mca", "rmaps_rank_file_physical", "1", "--rankfile",
                       str(file)), {0: [0, 1], 1: [2, 3], 2: [4, 5], 3: [6, 7]})

    def test_this_machine_takes_its_own_rankfile(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("two ranks need two cores")
        file = Path(self.folder) / "here.txt"
        plan = json.loads(place("--nranks", "2", "--rankfile", str(file), "--format", "json"))

        done = run(["mpirun", "--allow-run-as-root", "-np", "2", "--tag-output", "--rankfile",
                    str(file), "sh", "-c", "taskset -cp $$"])

        self.assertEqual(done.returncode, 0, done.stderr)
        told = re.findall(r",(\d+)\]<stdout>:.*list: (\S+)", done.stdout)
        self.assertEqual({int(rank): cpus for rank, cpus in told},
                         {i: binding["threads"] for i, binding in enumerate(plan["bindings"])})


class Slurm(unittest.TestCase):
    def test_the_masks_are_those_of_the_tasks(self):
        for program in ("slurmctld", "slurmd", "srun", "munged", "taskset"):
            needs(program)
        needs_root()
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("two tasks need two cores")
        plan = json.loads(place("--nranks", "2", "--format", "json"))
        words = place("--nranks", "2", "--format", "srun").split()
        with tempfile.TemporaryDirectory() as folder, \
                cluster(Path(folder), environment(), task_plugin="task/affinity") as variables:
            done = subprocess.run(
                ["srun", *words, "-l", "sh", "-c", "taskset -cp $$"], env=variables,
                capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False)

        self.assertEqual(done.returncode, 0, done.stderr)
        told = dict(re.findall(r"^(\d+): .*list: (\S+)$", done.stdout, re.M))
        threads = {str(i): binding["threads"] for i, binding in enumerate(plan["bindings"])}
        self.assertEqual(told, threads)


if __name__ == "__main__":
    main()
