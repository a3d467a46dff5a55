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

  EXPECT_EQ(stop_now({.ci = 0.05, .max_s = 5}, summary, 1), Stop::go_on);
}

TEST(StopNow, StopsWhenHalfTheIntervalIsWithinTheFraction) {
  const auto summary = with_interval(99, 100, 101);

  EXPECT_EQ(stop_now({.ci = 0.01}, summary, 0.1), Stop::precise);
  EXPECT_EQ(stop_now({.ci = 0.0099}, summary, 0.1), Stop::go_on);
}

TEST(StopNow, StopsWhenTheTimeIsUpAndSaysThatPrecisionWasNotReached) {
  const auto summary = with_interval(50, 100, 150);

  EXPECT_EQ(stop_now({.ci = 0.01, .max_s = 5}, summary, 5), Stop::out_of_time);
}

TEST(StopNow, PrefersToSayThatItIsPrecise) {
  const auto summary = with_interval(100, 100, 100);

  EXPECT_EQ(stop_now({.ci = 0.01, .max_s = 5}, summary, 6), Stop::precise);
}

TEST(StopNow, RepeatsUntilTheTimeIsUpWithoutAPrecision) {
  const auto summary = with_interval(100, 100, 100);

  EXPECT_EQ(stop_now({.max_s = 5}, summary, 4.9), Stop::go_on);
  EXPECT_EQ(stop_now({.max_s = 5}, summary, 5.1), Stop::out_of_time);
}

TEST(StopNow, NeverCallsFiveSamplesPrecise) {
  Summary summary = with_interval(100, 100, 100);
  summary.n = 5;

  EXPECT_EQ(stop_now({.ci = 0.5}, summary, 1), Stop::go_on);
}

TEST(StopNow, StopsAtOnceWithoutLimits) {
  EXPECT_EQ(stop_now({}, with_interval(1, 2, 3), 0), Stop::unlimited);
}

TEST(RelativeHalfWidth, DoesNotExistForAMedianOfZero) {
  EXPECT_FALSE(relative_half_width(with_interval(0, 0, 1)).has_value());
}

}  // namespace
}  // namespace linerate::stats
