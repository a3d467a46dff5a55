"""Ranks on GPUs, as a user starts them: layouts, groups, sharing, and the choice of the backend."""

import subprocess
import tempfile
from pathlib import Path

from gpus import LINERATE, SMALL, GpuRun, on_gpus
from parsers import disagreements
from support import main, run

COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all",
               "all_to_all_v", "gather", "scatter", "sendrecv", "hypercube")


class Layout(GpuRun):
    def test_every_collective_is_right_on_one_process_with_many_gpus(self):
        for collective in COLLECTIVES:
            with self.subTest(collective=collective):
                self.assert_good(on_gpus(collective, *SMALL, "-g", "4"), 3)

    def test_threads_with_several_gpus_each_are_one_job(self):
        done = on_gpus("all_reduce", *SMALL, "-t", "4", "-g", "2", "-p", "1")
        self.assert_good(done, 3)
        self.assertIn("Rank  7 Group  0", done.stdout)
        self.assertIn("device  7 [0000:a7:00] Fake GPU", done.stdout)

    def test_the_base_device_is_followed(self):
        done = on_gpus("all_reduce", *SMALL, "-g", "2", NCCL_TESTS_DEVICE="5")
        self.assertIn("Rank  1 Group  0", done.stdout)
        self.assertIn("device  6 [0000:a6:00]", done.stdout)

    def test_groups_are_split(self):
        done = on_gpus("all_reduce", *SMALL, "-t", "4", NCCL_TESTS_SPLIT="MOD2")
        self.assert_good(done, 3)
        self.assertIn("Rank  3 Group  1", done.stdout)

    def test_groups_are_split_also_among_the_gpus_of_one_thread(self):
        done = on_gpus("all_reduce", *SMALL, "-g", "6", "-T", "10", NCCL_TESTS_SPLIT="MOD3")
        self.assert_good(done, 3)
        self.assertIn("Rank  5 Group  2", done.stdout)

    def test_the_fakes_refuse_several_processes(self):
        done = on_gpus("all_reduce", *SMALL, "--nprocs", "2")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("The fakes of GPUs are within one process", done.stderr)

    def test_a_missing_gpu_is_named(self):
        done = on_gpus("all_reduce", *SMALL, "-g", "9")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("Invalid number of GPUs: GPU 8 was asked for, but only 8 were found",
                      done.stderr)
        self.assertRegex(done.stderr, r"rank 7: \S+ device 7, rank 8: \S+ device 8 \(missing\)\.")

    def test_gpus_of_which_none_is_here_need_no_map(self):
        done = on_gpus("all_reduce", *SMALL, "-g", "2", NCCL_TESTS_DEVICE="8")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertNotIn("Ranks and their devices", done.stderr)

    def test_the_table_does_not_begin_within_a_line_of_nccls(self):
        done = on_gpus("all_reduce", *SMALL, NCCL_DEBUG="INFO")
        self.assert_good(done, 3)
        told = [line for line in done.stdout.splitlines() if "NCCL INFO" in line]
        self.assertEqual(len(told), 100)
        for line in told:
            self.assertRegex(line, r"^fake NCCL INFO \d{58}$")

    def test_the_table_is_what_parsers_read(self):
        done = on_gpus("all_reduce", "-b", "8", "-e", "1M", "-f", "2", "-g", "2")
        self.assertEqual(disagreements(done.stdout), {})


class OneGpuForMany(GpuRun):
    def test_runs_and_says_that_its_figures_mean_nothing(self):
        done = on_gpus("all_reduce", *SMALL, "-t", "2", "-g", "8", "--oversubscribe",
                       LINERATE_FAKE_NCCL_VERSION="23001")
        self.assert_good(done, 3)
        self.assertIn("# Oversubscribed: 16 ranks share 8 GPUs", done.stdout)

    def test_needs_processes_before_version_2_30(self):
        done = on_gpus("all_reduce", *SMALL, "-t", "2", "-g", "8", "--oversubscribe")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("Ranks 0 and 8 have the same GPU", done.stderr)
        self.assertIn("--nprocs", done.stderr)


class AutomaticBackend(GpuRun):
    """Where the PCI bus shows a GPU, nothing but NCCL is a good guess."""

    def with_a_gpu(self, folder: str, *words: str) -> subprocess.CompletedProcess:
        device = Path(folder) / "bus/pci/devices/0000:18:00.0"
        device.mkdir(parents=True)
        (device / "vendor").write_text("0x10de\n")
        (device / "class").write_text("0x030200\n")
        return run([LINERATE, "all_reduce", *SMALL, "-g", "2", *words], LINERATE_SYSFS=folder)

    def test_is_nccl_with_a_gpu(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.with_a_gpu(folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: backend nccl, because there is an NVIDIA GPU", done.stderr)

    def test_is_host_without_one(self):
        done = run([LINERATE, "all_reduce", *SMALL, "-g", "2"])
        self.assertIn("note: backend host", done.stderr)

    def test_is_what_was_asked_for_in_any_case(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.with_a_gpu(folder, "--backend", "host")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("host memory", done.stdout)


if __name__ == "__main__":
    main()
