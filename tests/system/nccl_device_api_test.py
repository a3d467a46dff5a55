"""Kernels over NCCL's device API (-D): right results, and what has no kernel."""

from gpus import SMALL, GpuRun, on_gpus
from support import main


class DeviceKernels(GpuRun):
    def test_each_gives_the_right_result(self):
        for collective, kernel in (("all_reduce", "1"), ("all_reduce", "2"), ("all_reduce", "3"),
                                   ("all_reduce", "4"), ("all_to_all", "1"), ("all_to_all", "2")):
            for more in ([], ["-V", "8"], ["-G", "2"], ["-m", "3"]):
                with self.subTest(collective=collective, kernel=kernel, more=more):
                    done = on_gpus(collective, *SMALL, "-t", "2", "-g", "2", "-R", "2",
                                   "-D", kernel, *more)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("Out of bounds values : 0 OK", done.stdout)

    def test_they_are_recorded(self):
        lines = self.record("all_reduce", *SMALL, "-g", "2", "-R", "2", "-D", "2", "-V", "32")
        self.assertEqual(lines[0]["settings"]["device_implementation"], 2)
        self.assertEqual(lines[0]["settings"]["device_cta_count"], 32)

    def test_groups_of_ranks_have_their_own(self):
        done = on_gpus("all_reduce", *SMALL, "-t", "4", "-R", "2", "-D", "1",
                       NCCL_TESTS_SPLIT="MOD2")
        self.assert_good(done, 3)

    def test_a_library_of_another_minor_version_is_refused(self):
        for version in ("22700", "23001"):
            done = on_gpus("all_reduce", *SMALL, "-R", "2", "-D", "1",
                           LINERATE_FAKE_NCCL_VERSION=version)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn("-D needs NCCL 2.", done.stderr)

    def test_cases_without_a_kernel_are_left_out_and_named(self):
        done = on_gpus("all_reduce", "-b", "1K", "-e", "1K", "-n", "2", "-g", "2", "-R", "2", "-D",
                       "1", "-d", "all", "-o", "all")
        self.assert_good(done, 10)
        self.assertIn("note: left out, as there is no kernel for them: prod; max; "
                      "min; avg; mulsum; sum of f8e4m3, f8e5m2\n", done.stderr)

    def test_what_has_no_kernel_is_refused(self):
        for words, sentence in ((["all_reduce", "-D", "1", "-d", "f8e5m2"], "no kernel for f8e5m2"),
                                (["all_reduce", "-D", "3", "-d", "half"], "no kernel for half"),
                                (["all_reduce", "-D", "2", "-o", "max"], "sums only"),
                                (["all_reduce", "-D", "1", "-d", "f8e5m2", "-o", "all"], "for f8"),
                                (["all_to_all", "-D", "3"], "-D 3 of all_to_all needs"),
                                (["all_to_all", "-D", "4"], "-D 4 of all_to_all needs")):
            with self.subTest(words=words):
                done = on_gpus(*words, *SMALL, "-g", "2", "-R", "2")
                self.assertEqual(done.returncode, 5, done.stderr)
                self.assertIn(sentence, done.stderr)


if __name__ == "__main__":
    main()
