// The rule that ends the repetition of a case.
#include "stats/stopping.h"

#include <gtest/gtest.h>

namespace linerate::stats {
namespace {

Summary with_interval(double low, double median, double high) {
  return {.n = 100, .median = median, .ci95_low = low, .ci95_high = high};
}

TEST(StopNow, GoesOnWhileTheIntervalIsWide) {
  const auto summary = with_interval(90, 100, 110);

  EXPECT_FALSE(stop_now({.ci = 0.05, .max_s = 5}, summary, 1));
}

TEST(StopNow, StopsWhenHalfTheIntervalIsWithinTheFraction) {
  const auto summary = with_interval(99, 100, 101);

  EXPECT_TRUE(stop_now({.ci = 0.01}, summary, 0.1));
  EXPECT_FALSE(stop_now({.ci = 0.0099}, summary, 0.1));
}

TEST(StopNow, StopsWhenTheTimeIsUpThoughPrecisionWasNotReached) {
  const auto summary = with_interval(50, 100, 150);

  EXPECT_TRUE(stop_now({.ci = 0.01, .max_s = 5}, summary, 5));
}

TEST(StopNow, RepeatsUntilTheTimeIsUpWithoutAPrecision) {
  const auto summary = with_interval(100, 100, 100);

  EXPECT_FALSE(stop_now({.max_s = 5}, summary, 4.9));
  EXPECT_TRUE(stop_now({.max_s = 5}, summary, 5.1));
}

TEST(StopNow, NeverCallsFiveSamplesPrecise) {
  Summary summary = with_interval(100, 100, 100);
  summary.n = 5;

  EXPECT_FALSE(stop_now({.ci = 0.5}, summary, 1));
}

TEST(StopNow, StopsAtOnceWithoutLimits) { EXPECT_TRUE(stop_now({}, with_interval(1, 2, 3), 0)); }

TEST(RelativeHalfWidth, DoesNotExistForAMedianOfZero) {
  EXPECT_FALSE(relative_half_width(with_interval(0, 0, 1)).has_value());
}

}  // namespace
}  // namespace linerate::stats
