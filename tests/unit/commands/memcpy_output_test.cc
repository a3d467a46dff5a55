// The text of a test of memcpy_perf, to the last blank.
#include "commands/memcpy_output.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

CopyPlan plan(std::string_view name, std::vector<int> gpus) {
  const auto tests = find_copy_tests(name, true);
  return plan_of(*tests->front(),
                 {.gpus = std::move(gpus), .reach = [](int a, int b) { return a + b != 5; }});
}

TEST(MemcpyMatrixText, HasTheSumTheExtremesAndTheReasonOfNa) {
  const std::map<CopyCell, double> cells{
      {{0, 1}, 276.071}, {{1, 0}, 275.5}, {{0, 2}, 1}, {{2, 0}, 2}};

  EXPECT_EQ(
      memcpy_matrix_text(plan("d2d_read_ce", {0, 2, 3}), cells, {.bytes = 1 << 20}),
      "#\n"
      "# d2d_read_ce: row to column, which reads, by copy engine, 1048576 bytes, median of 16 "
      "(GB/s)\n"
      "#  GPU        0        2        3\n"
      "     0      N/A   276.07     1.00\n"
      "     2   275.50      N/A      N/A\n"
      "     3     2.00      N/A      N/A\n"
      "# sum 554.57 GB/s\n"
      "# lowest 1.00 GB/s (0, 3), highest 276.07 GB/s (0, 2)\n"
      "# N/A: GPUs 2-3 cannot access each other's memory (nvidia-smi topo -p2p r).\n");
}

TEST(MemcpyMatrixText, HasOneRowWhereTheHostIsTheOtherEnd) {
  EXPECT_EQ(
      memcpy_matrix_text(plan("host_bidir_sm", {0}), {{{0, 0}, 101.5}}, {.bytes = 64, .iters = 3}),
      "#\n"
      "# host_bidir_sm: host to GPU and back at once, sum of both directions, by kernel, 64 "
      "bytes, median of 3 (GB/s)\n"
      "#  GPU        0\n"
      "  host   101.50\n"
      "# sum 101.50 GB/s\n"
      "# lowest 101.50 GB/s (host, 0), highest 101.50 GB/s (host, 0)\n");
}

TEST(MemcpyMatrixText, IsTheReasonAloneWhereNothingCanBeMeasured) {
  EXPECT_EQ(memcpy_matrix_text(plan("d2d_write_ce", {0}), {}, {.bytes = 64}),
            "#\n"
            "# d2d_write_ce: row to column, the row writes, by copy engine, 64 bytes, median of 16 "
            "(GB/s)\n"
            "# N/A: this test needs two GPUs, and one takes part.\n");
}

}  // namespace
}  // namespace linerate
