"""The options that only GPUs follow: each does what it says, and the results stay right."""

from gpus import SMALL, GpuRun, on_gpus
from parsers import disagreements
from support import main


class Options(GpuRun):
    def test_each_gives_the_right_result(self):
        for words in (["-G", "3"], ["-R", "1"], ["-R", "2"], ["-x", "0"], ["-x", "2"], ["-y", "1"],
                      ["-z", "1"], ["-z", "2"], ["-z", "3"], ["-m", "4"], ["-u", "3"], ["-C", "1"],
                      ["-a", "3"], ["-I", "1"], ["-c", "3"], ["--nccl-tests-config"],
                      ["-G", "2", "-m", "2", "-R", "2", "-u", "1"]):
            with self.subTest(words=words):
                done = on_gpus("all_reduce", *SMALL, "-t", "2", "-g", "2", *words)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("Out of bounds values : 0 OK", done.stdout)

    def test_a_registration_without_effect_is_told(self):
        for how, variable in (("1", "NCCL_LOCAL_REGISTER"), ("2", "NCCL_CUMEM_ENABLE")):
            words = ("all_reduce", *SMALL, "-t", "2", "-g", "2", "-R", how)
            with self.subTest(how=how):
                done = on_gpus(*words, **{variable: "0"})
                self.assert_good(done, 3)
                _, after = done.stdout.split("# Collective test concluded")
                self.assertIn("# Registered           : no rank's buffers; "
                              f"NCCL took -R {how} and did nothing", after)
                self.assertEqual(disagreements(done.stdout), {})
                self.assertEqual(self.record(*words, **{variable: "0"})[0]["registered_ranks"], 0)
                self.assertNotIn("# Registered", on_gpus(*words).stdout)
                self.assertEqual(self.record(*words)[0]["registered_ranks"], 4)
        self.assertNotIn("registered_ranks", self.record("all_reduce", *SMALL)[0])

    def test_symmetric_windows_without_effect_are_told_with_each_version(self):
        """NCCL 2.28 hands out a handle also where it has made no symmetric window."""
        for version in ("22707", "22803", "22809", "22903"):
            for variable in ("NCCL_CUMEM_ENABLE", "NCCL_WIN_ENABLE"):
                with self.subTest(version=version, variable=variable):
                    done = on_gpus("all_reduce", *SMALL, "-R", "2",
                                   LINERATE_FAKE_NCCL_VERSION=version, **{variable: "0"})
                    self.assert_good(done, 3)
                    self.assertIn("# Registered           : no rank's buffers", done.stdout)

    def test_types_and_operators_are_all_right(self):
        done = on_gpus("all_reduce", "-b", "1K", "-e", "1K", "-g", "3", "-n", "2", "-w", "0",
                       "-d", "all", "-o", "all")
        self.assert_good(done, 12 * 6)

    def test_a_graph_counts_all_its_calls(self):
        lines = self.record("all_reduce", "-b", "1K", "-e", "1K", "-g", "2", "-n", "7", "-G", "3")
        self.assertEqual(lines[0]["settings"]["cudagraph"], 3)
        result = lines[1]
        self.assertEqual(result["window"]["iters"], 21)
        self.assertEqual(result["samples_us"]["n"], 3)
        self.assertEqual(result["samples_us"]["batch"], 7)

    def test_events_time_each_iteration_and_claim_no_skew(self):
        lines = self.record("all_reduce", "-b", "1K", "-e", "1K", "-g", "2", "-n", "9", "-I", "1",
                            "-K", "2")
        self.assertEqual(lines[1]["samples_us"]["n"], 7)
        self.assertNotIn("arrival_skew_us", lines[1])
        self.assertNotIn("late_us", lines[1])
        done = on_gpus("all_reduce", *SMALL, "-g", "2", "-I", "1")
        self.assertIn("Per-Iteration Report: CUDA event timing", done.stdout)

    def test_what_a_graph_cannot_do_is_refused(self):
        for words in (["-z", "1"], ["-y", "1"], ["-I", "1"]):
            with self.subTest(words=words):
                done = on_gpus("all_reduce", *SMALL, "-G", "1", *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("-G/--cudagraph", done.stderr)

    def test_what_the_library_lacks_is_refused(self):
        for version, words, sentence in (("22602", ["-R", "2"], "-R 2 needs NCCL 2.27.0"),
                                         ("21805", ["-R", "1"], "-R 1 needs NCCL 2.19.0"),
                                         ("22602", ["-x", "1"], "-x needs NCCL 2.27.0")):
            with self.subTest(words=words):
                done = on_gpus("all_reduce", *SMALL, *words, LINERATE_FAKE_NCCL_VERSION=version)
                self.assertEqual(done.returncode, 5, done.stderr)
                self.assertIn(sentence, done.stderr)

    def test_times_of_the_communicators_and_memory_are_told(self):
        done = on_gpus("all_reduce", *SMALL, "-g", "2", "--report-init", "-M", "1")
        self.assertRegex(done.stdout, r"# Communicator times   : init \S+ \S+ \| "
                                      r"first call \S+ \S+ \| destroy \S+ \S+\n")
        self.assertRegex(done.stdout, r"# GPU memory usage     : Initialization .* \| "
                                      r"User-Allocated 12.0 KB \| Collective 0.00 B \| Total")

    def test_memory_that_is_not_there_is_told_with_what_is(self):
        sentences = {"22809": "ncclMemAlloc of 2 MiB with 1024 KiB free failed: a fake error",
                     "21805": "GPU 0 has no 2 MiB left: 1024 KiB are free; use smaller sizes."}
        for version, sentence in sentences.items():
            with self.subTest(version=version):
                done = on_gpus("all_reduce", "-b", "2M", "-e", "2M", "--limit-memory", "8M",
                               LINERATE_FAKE_GPU_BYTES=str(1 << 20),
                               LINERATE_FAKE_NCCL_VERSION=version)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(sentence, done.stderr)

    def test_sizes_are_capped_by_what_is_free(self):
        done = on_gpus("all_reduce", "-b", "1K", "-e", "64M", "-f", "100000", "-g", "2",
                       LINERATE_FAKE_GPU_BYTES=str(1 << 20))
        self.assertEqual(done.returncode, 0, done.stderr)
        # 0.8 of the 1 MiB that is free but for the counter of wrong elements, in two buffers
        self.assertIn("# Reducing maxBytes to 417792 due to memory limitation", done.stdout)


if __name__ == "__main__":
    main()
