"""Every way to start a tool gives one table, from rank 0 only."""

import subprocess
import unittest

from ports import free_port
from support import environment, main, mpirun, needs, rows, run, tool

SWEEP = ["-b", "8", "-e", "64K", "-f", "8", "-n", "5"]


class OneTable(unittest.TestCase):
    def check_table(self, stdout: str, nranks: int) -> None:
        table = rows(stdout)
        self.assertEqual([row.size for row in table], [8, 64, 512, 4096, 32768], stdout)
        for row in table:
            self.assertEqual(row.out_of_place[3], "0")
            self.assertEqual(row.in_place[3], "0")
        self.assertIn("# Out of bounds values : 0 OK", stdout)
        self.assertEqual(stdout.count("# Using devices"), 1)
        self.assertEqual(stdout.count("#  Rank "), nranks)

    def run_ok(self, command: list[str], **extra: str) -> str:
        done = run(command, **extra)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_threads(self):
        self.check_table(self.run_ok([tool("all_reduce_perf"), *SWEEP, "-t", "2"]), 2)

    def test_ranks_per_thread_are_threads_on_host_memory(self):
        self.check_table(self.run_ok([tool("all_reduce_perf"), *SWEEP, "-t", "2", "-g", "2"]), 4)

    def test_nprocs(self):
        self.check_table(self.run_ok([tool("all_reduce_perf"), *SWEEP, "--nprocs", "3"]), 3)

    def test_nprocs_with_threads(self):
        command = [tool("all_reduce_perf"), *SWEEP, "--nprocs", "2", "-t", "2"]
        self.check_table(self.run_ok(command), 4)

    def test_env(self):
        variables = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                     "MASTER_PORT": str(free_port())}
        command = [tool("all_reduce_perf"), *SWEEP]
        other = subprocess.Popen(command, env=environment(RANK="1", LOCAL_RANK="1", **variables),
                                 stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        first = self.run_ok(command, RANK="0", LOCAL_RANK="0", **variables)
        quiet, _ = other.communicate(timeout=60)
        self.check_table(first, 2)
        self.assertEqual(other.returncode, 0)
        self.assertEqual(quiet, "")

    def test_mpirun_over_mpi(self):
        needs("mpirun")
        stdout = self.run_ok(mpirun(4, tool("all_reduce_perf"), *SWEEP))
        self.check_table(stdout, 4)

    def test_mpirun_over_host_memory(self):
        needs("mpirun")
        stdout = self.run_ok(mpirun(2, tool("all_reduce_perf"), *SWEEP, "--backend", "host"))
        self.check_table(stdout, 2)

    def test_a_copy_with_a_suffix_knows_its_tool(self):
        import shutil
        import tempfile
        from pathlib import Path
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "all_reduce_perf_mpi"
            shutil.copy(tool("linerate"), copy)
            self.check_table(self.run_ok([str(copy), *SWEEP, "-t", "2"]), 2)


class Refusals(unittest.TestCase):
    def refuse(self, code: int, words: list[str], *fragments: str, **extra: str) -> None:
        done = run([tool("all_reduce_perf"), *words], **extra)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        for fragment in fragments:
            self.assertIn(fragment, done.stderr)

    def test_more_than_one_rank_a_process_on_mpi(self):
        needs("mpirun")
        done = run(mpirun(2, tool("all_reduce_perf"), *SWEEP, "-t", "2"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("--backend host or --backend nccl"), 1)
        self.assertNotIn("MPI_ABORT", done.stderr)

    def test_a_gpu_option_without_gpus(self):
        self.refuse(5, [*SWEEP, "-t", "2", "-G", "1"], "-G needs the nccl backend")

    def test_gpu_options_at_their_defaults_are_silent(self):
        done = run([tool("all_reduce_perf"), *SWEEP, "-t", "2", "-G", "0", "-p", "0",
                    "-R", "0", "-y", "0"])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_launcher_that_is_not_understood(self):
        self.refuse(2, SWEEP, "RANK", RANK="1")

    def test_what_one_process_can_tell_before_it_meets_the_others(self):
        for words, sentence in ((["--algo", "rign"], "Did you mean 'ring'"),
                                (["-b", "1T", "-e", "1T"], "-b/--minbytes 1 TiB does not fit")):
            for launch in (["-t", "2"], ["--nprocs", "3"]):
                with self.subTest(words=words, launch=launch):
                    done = run([tool("all_reduce_perf"), *words, *launch, "--jsonl", "/dev/full"])
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(sentence, done.stderr)
                    self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_hypercube_on_three_ranks(self):
        done = run([tool("hypercube_perf"), *SWEEP, "-t", "3"])
        self.assertEqual((done.returncode, len(done.stderr.strip().splitlines())), (2, 1))

    def test_unknown_words_and_values_exit_2_before_anything_runs(self):
        for words in (["-d", "fp16"], ["-z", "4"], ["-K", "1"], ["NCCL_DEBUG=INFO"], ["-b", "0"]):
            with self.subTest(words=words):
                self.refuse(2, words)


if __name__ == "__main__":
    main()
