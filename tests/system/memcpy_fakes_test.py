"""memcpy_perf as users start it, on eight GPUs that are fakes: matrices, files and sizes."""

from fake_copies import FakeCopies
from support import main

PAIRS = """by copy engine, 65536 bytes, median of 3 (GB/s)
#  GPU        0        2        3
     0      N/A    10.00     2.50
     2    10.00      N/A     2.50
     3     2.50     2.50      N/A
# sum 30.00 GB/s
# lowest 2.50 GB/s (0, 3), highest 10.00 GB/s ("""


class Matrices(FakeCopies):
    def test_every_pair_has_a_cell_and_the_matrix_its_sum_and_extremes(self):
        text, _, lines = self.ended(0, "-t", "device_to_device_memcpy_read_ce", "--gpus", "0,2,3")

        self.assertIn(PAIRS, text)
        self.assertTrue(text.endswith("# Out of bounds values : 0 OK\n"), text)
        cells = {(r["copy"]["row"], r["copy"]["column"]): r for r in lines[1:-1]}
        self.assertEqual(len(cells), 6)
        self.assertAlmostEqual(cells["0", "3"]["busbw_gbps"], 2.5, places=3)
        self.assertEqual(cells["0", "3"]["copy"]["streams"][0]["by"], "gpu3")

    def test_both_directions_add_up_over_one_interval(self):
        text, _, _ = self.ended(0, "-t", "host_bidir,d2d_bidir_write_sm", "--gpus", "0,3")

        self.assertIn("  host    20.00     5.00\n", text)
        self.assertIn("     0      N/A     5.00\n     3     5.00      N/A\n", text)

    def test_all_tests_of_all_gpus_copy_the_right_data(self):
        _, messages, lines = self.ended(0)

        results = [line for line in lines if line["kind"] == "result"]
        tests = {result["case"]["collective"] for result in results}
        self.assertEqual(len(tests), 30)
        self.assertEqual({result["wrong"] for result in results}, {0})
        self.assertEqual(messages, "")

    def test_copies_are_as_large_as_the_fullest_gpu_allows(self):
        text, messages, lines = self.ended(0, "-b", "1M", "-t", "d2d_read_ce", "--gpus", "0,1",
                                           LINERATE_FAKE_GPU_BYTES=str(1 << 20))

        self.assertRegex(text, "# -b 1 MiB does not fit: GPU 0 has .* free, and 90 % of it holds 1 "
                               "buffer of 943")
        self.assertEqual(messages, "")
        self.assertEqual(lines[0]["settings"]["bytes"], lines[1]["case"]["bytes"])

    def test_the_files_have_nothing_that_was_not_measured(self):
        _, _, (about, result, _) = self.ended(0, "-t", "h2d_ce", "--gpus", "2", "-T", "7")

        self.assertFalse({"timing", "init_us"} & about.keys())
        self.assertGreater(about["ranks"][0]["pid"], 0)
        self.assertIn("hostname", about["ranks"][0])
        self.assertEqual(about["settings"]["timeout_s"], 7)
        self.assertRegex(result["timestamp"], r"^\d{4}-\d\d-\d\dT.*Z$")


if __name__ == "__main__":
    main()
