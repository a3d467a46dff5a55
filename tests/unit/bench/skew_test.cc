// Arrival patterns: what is drawn, what a file says, and what is refused.
#include "bench/skew.h"

#include "base/error.h"
#include "support/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view text, int nranks) {
  const auto pattern = SkewPattern::parse(text, nranks);
  return pattern ? "none" : pattern.sentence();
}

TEST(UniformSkew, IsDrawnEvenlyForEachRankAndSample) {
  const auto skew = SkewPattern::uniform(100, 7);
  double sums_us[3] = {};
  std::int64_t most_ns = 0;
  constexpr int kSamples = 10'000;
  for (int rank = 0; rank < 3; ++rank)
    for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
      const auto delay_ns = skew.delay_ns(rank, sample);
      ASSERT_GE(delay_ns, 0);
      most_ns = std::max(most_ns, delay_ns);
      sums_us[rank] += static_cast<double>(delay_ns) / 1e3;
    }

  EXPECT_LE(most_ns, 100'000);
  EXPECT_GT(most_ns, 99'000);
  for (const double sum_us : sums_us) EXPECT_NEAR(sum_us / kSamples, 50, 2);
}

TEST(UniformSkew, DiffersBetweenRanksSamplesAndSeedsOnly) {
  const auto skew = SkewPattern::uniform(1000, 7);

  EXPECT_EQ(skew.delay_ns(1, 5), SkewPattern::uniform(1000, 7).delay_ns(1, 5));
  EXPECT_NE(skew.delay_ns(1, 5), skew.delay_ns(2, 5));
  EXPECT_NE(skew.delay_ns(1, 5), skew.delay_ns(1, 6));
  EXPECT_NE(skew.delay_ns(1, 5), SkewPattern::uniform(1000, 8).delay_ns(1, 5));
}

TEST(SkewFile, HasALineOfDelaysForEachRankThatBeginsAnew) {
  const auto skew = SkewPattern::parse("# us\n0.5 2\t3\r\n\n40\n", 2);

  ASSERT_TRUE(skew) << skew.sentence();
  EXPECT_EQ(skew->delay_ns(0, 0), 500);
  EXPECT_EQ(skew->delay_ns(0, 2), 3000);
  EXPECT_EQ(skew->delay_ns(0, 4), 2000);
  EXPECT_EQ(skew->delay_ns(1, 9), 40'000);
  EXPECT_EQ(skew->most_us(), 40);
}

TEST(SkewFile, IsRefusedWithTheLine) {
  EXPECT_THAT(refusal("0\n1\n2\n", 2), HasSubstr("3 lines of delays, and there are 2 ranks"));
  EXPECT_THAT(refusal("", 2), HasSubstr("0 lines"));
  EXPECT_THAT(refusal("0\n1 x\n", 2), HasSubstr("line 2 holds 'x'"));
  EXPECT_THAT(refusal("-1\n1\n", 2), HasSubstr("line 1 holds '-1'"));
  EXPECT_THAT(refusal("1e8\n1\n", 2), HasSubstr("from 0 to 10000000"));
}

TEST(SkewFile, IsNamedWhereItCannotBeUsed) {
  const TemporaryFolder folder;
  try {
    (void)skew_of({.file = folder.path("none")}, 0, 2);
    FAIL() << "no file was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--skew '" + folder.path("none") + "': "));
    EXPECT_EQ(error.exit_code(), ExitCode::usage);
  }
}

}  // namespace
}  // namespace linerate
