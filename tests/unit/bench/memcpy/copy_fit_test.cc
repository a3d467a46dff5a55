// The size of copies: what the memory at the fullest end holds, and the sentence about it.
#include "bench/memcpy/copy_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using ::testing::HasSubstr;

CopyPlan plan_for(std::string_view name, std::vector<int> gpus) {
  const auto tests = find_copy_tests(name, true);
  return plan_of(*tests->front(),
                 {.gpus = std::move(gpus), .reach = [](int, int) { return true; }});
}

TEST(FittingBytes, IsWhatTheFullestEndHolds) {
  const std::vector plans{plan_for("h2d_ce", {0, 1}), plan_for("into_one_read_ce", {0, 1, 2})};
  const auto free_bytes = [](int end) { return std::size_t{end == 1 ? 1000u : 100'000u}; };

  const auto fit = fitting_bytes(plans, 4096, free_bytes);
  EXPECT_EQ(fit.bytes, 448u);  // 900 / 2, in grains
  EXPECT_EQ(fit.bound_by, 1);
  EXPECT_EQ(fit.buffers, 2u);
  EXPECT_EQ(fitting_bytes(plans, 160, free_bytes).bytes, 160u);
  EXPECT_EQ(fitting_bytes(plans, 4096, [](int) { return std::size_t{10}; }).bytes, 0u);
}

TEST(FittingBytes, TakesNoMoreThanHalfOfTheHost) {
  const std::vector plans{plan_for("all_host_bidir_ce", {0, 1})};
  const auto free_bytes = [](int end) { return std::size_t{end == kHostEnd ? 8192u : 100'000u}; };

  const auto fit = fitting_bytes(plans, 4096, free_bytes);

  EXPECT_EQ(fit.bytes, 1024u);
  EXPECT_EQ(fit.bound_by, kHostEnd);
  EXPECT_EQ(fit.buffers, 4u);
}

TEST(FittingBytes, AreExplained) {
  EXPECT_EQ(fit_text({.bytes = 1024, .bound_by = kHostEnd, .buffers = 4, .free_bytes = 8192}, 4096),
            "-b 4 KiB does not fit: the host has 8 KiB free, and 50 % of it holds 4 buffers of "
            "1024 bytes");
  EXPECT_THAT(fit_text({.bytes = 16, .bound_by = 3, .buffers = 2, .free_bytes = 40}, 32),
              HasSubstr("GPU 3 has 40 B free, and 90 % of it holds 2 buffers of 16 bytes"));
}

}  // namespace
}  // namespace linerate
