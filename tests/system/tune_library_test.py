"""linerate tune mpi and gloo: what is left out, refused, found, and what Open MPI makes of it."""

import tempfile
import unittest
from pathlib import Path

from support import main, run, tool

LINERATE = tool("linerate")
BINOMIAL = "OMPI_MCA_coll_tuned_scatter_algorithm=2"
RULES = "OMPI_MCA_coll_tuned_dynamic_rules_filename"
# Nothing of the process is tried where all of it is set.
SET = {"OMPI_MCA_btl_vader_eager_limit": "4096", "OMPI_MCA_btl_vader_max_send_size": "32768",
       "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_coll_sm_priority": "0"}


def tune(*words: str, **variables: str):
    return run([LINERATE, "tune", *words], limit_s=280, **variables)


class TuneLibrary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def tune_scatter(self, out: Path, fast: str):
        """With times that are made up, so that no verdict depends on this machine."""
        launcher = f"python3 {Path(__file__).with_name('made_up_times.py')}"
        return tune("mpi", "--collectives", "scatter", "--sizes", "64K", "--repeat", "6", "-o",
                    str(out), "--start", f"{launcher} {self.folder / 'runs'} {fast} {{ranks}}",
                    "--seed", "1", "--options", "-n 20 -w 5 --expect off", **SET)

    def test_says_what_it_would_try_and_why_not_more(self):
        done = tune("mpi", "--dry-run", "--ranks-per-node", "3", "--collectives",
                    "all_gather,sendrecv", **SET)

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"# to try, all_gather: 1 linear, 2 bruck, 4 ring\n")
        for line in (r"all_gather: 6 two_proc +it is for 2 ranks, not 3", r"sendrecv: .*coll_tuned",
                     r"OMPI_MCA_btl_tcp_links +it is about the network, and there is one node",
                     r"OMPI_MCA_coll_sm_priority +.* is set \(environment\): unset it"):
            self.assertRegex(done.stdout, "# left out: " + line)
        self.assertRegex(done.stdout, r"# at most \d+ launches\n")

    def test_refuses_in_one_sentence(self):
        for words, sentence in (
                (("mpi", "--try", "OMPI_MCA_mpi_leave_pinned=1"), "is refused: memory"),
                (("mpi", "--try", "NCCL_ALGO=Ring"), "begins with OMPI_MCA_"),
                (("mpi", "--repeat", "3"), "--repeat 3 can prove no gain: give 6 or more"),
                (("mpi", "--ranks-per-node", "1"), "nobody to talk to"),
                (("gloo", "--nodes", "2"), "--nodes asks for more"),
                (("mpi", "--nccl", "2.21"), "NCCL alone"),
                (("gloo", "--options", "-b 8"), "which the study gives each run"),
                (("gloo", "--sizes", "0"), "--sizes"), (("nccl", "--nccl", "3"), "no version"),
                (("gloo", "-o", "/proc/none"), "cannot be written to")):
            with self.subTest(words=words):
                done = tune(*words)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(sentence, done.stderr)

    def test_a_default_that_fails_is_said(self):
        done = tune("mpi", "--start", "false {ranks}", "-o", str(self.folder), "--collectives",
                    "scatter", **SET)

        self.assertEqual(done.returncode, 1)
        self.assertIn("The default cannot be measured.", done.stderr)

    def test_finds_an_algorithm_that_open_mpi_takes_from_the_files(self):
        out = self.folder / "out"

        done = self.tune_scatter(out, fast=f"{BINOMIAL},{RULES}")

        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("# rule: scatter from 65536 to 65536 bytes, 2 ranks on 1 node: 2 binomial\n",
                      done.stdout)
        self.assertRegex(done.stdout,
                         r"scatter +64 KiB +2 binomial +20\S* +10\S* .* % \[.*\] +FASTER")
        parameters = out / "openmpi-mca-params.conf"
        told = run(["mpirun", "--allow-run-as-root", "-np", "1", "-tune", str(parameters),
                    "ompi_info", "--parsable", "--param", "coll", "tuned", "--level", "9"])
        self.assertIn("coll_tuned_use_dynamic_rules:value:true\n", told.stdout)
        self.assertIn(f"dynamic_rules_filename:value:{out}/coll_tuned_rules.conf", told.stdout)
        self.assertIn(f"export OMPI_MCA_coll_tuned_dynamic_rules_filename={out}",
                      (out / "openmpi.sh").read_text())

    def test_what_is_not_faster_again_leaves_earlier_files_alone(self):
        out = self.folder / "out"
        out.mkdir()
        (out / "openmpi.sh").write_text("# of an earlier search\n")

        done = self.tune_scatter(out, fast=BINOMIAL)

        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("# nothing is kept: what was faster was not so again\n", done.stdout)
        self.assertEqual([path.name for path in out.iterdir()], ["openmpi.sh"])
        self.assertEqual((out / "openmpi.sh").read_text(), "# of an earlier search\n")

    def test_gloo_has_its_interfaces(self):
        done = tune("gloo", "--dry-run")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("# left out: algorithms", done.stdout)
        if {path.name for path in Path("/sys/class/net").iterdir()} <= {"lo"}:
            self.assertIn("no interface but loopback is up", done.stdout)


if __name__ == "__main__":
    main()
