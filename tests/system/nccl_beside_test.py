"""--beside on GPUs: a load has a stream of its own, and products need cuBLAS."""

from gpus import SMALL, GpuRun, on_gpus
from support import main


class Beside(GpuRun):
    def test_a_load_has_a_stream_or_is_refused(self):
        done = on_gpus("all_reduce", *SMALL, "-t", "2", "--beside", "all_reduce:64K")
        self.assert_good(done, 3)
        self.assertIn("# Beside all_reduce:64K: ", done.stdout)
        done = on_gpus("all_reduce", *SMALL, "-g", "2", "--beside", "memory:1M")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no other", done.stderr)

    def test_products_run_beside_calls(self):
        run, *lines = self.record("all_reduce", *SMALL, "-t", "2", "--beside", "gemm:30")
        self.assertEqual(run["settings"]["beside"], "gemm:32")
        results = [line["beside"] for line in lines if line["kind"] == "result"]
        self.assertEqual(len(results), 6)
        for beside in results:
            self.assertEqual(beside["load"], "gemm:32")
            products, us = beside["products"], beside["unit"]["alone_us"]
            self.assertEqual(products["type"], "bfloat16")
            self.assertAlmostEqual(products["alone_tflops"] * us, 2 * 32**3 / 1e6)

    def test_products_that_cannot_be_are_refused_before_anything_is_printed(self):
        words = ("all_reduce", *SMALL, "-t", "2", "--beside", "gemm")
        for variables, why in (({"LINERATE_FAKE_CUBLAS": "0"},
                                "--beside gemm: rank 0: cuBLAS cannot be loaded: libcublas-of"),
                               ({"LINERATE_FAKE_GPU_BYTES": str(1 << 28)},
                                "--beside gemm:8192: its buffers need 384 MiB"),
                               ({"LINERATE_FAKE_GPU_SM": "75,80"},
                                "--beside gemm: rank 0's device multiplies half and rank 1's "
                                "bfloat16: start")):
            done = on_gpus(*words, **variables)
            self.assertEqual((done.returncode, done.stdout), (5, ""))
            self.assertEqual(done.stderr.count(why), 1, done.stderr)


if __name__ == "__main__":
    main()
