// Percentiles, spread, and the interval of the median, also by simulation; and the rule that ends
// the repetition of a case.
#include "stats/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace linerate::stats {
namespace {

std::vector<double> one_to(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

// How often the interval of `n` draws encloses the median of the distribution.
template <typename Draw>
double coverage(std::size_t n, double median, Draw draw) {
  constexpr int kTrials = 4000;
  std::mt19937_64 random(20240501);
  int enclosed = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples(n);
    for (double& sample : samples) sample = draw(random);
    const Summary summary = summarize(samples);
    enclosed += summary.ci95_low <= median && median <= summary.ci95_high ? 1 : 0;
  }
  return enclosed / static_cast<double>(kTrials);
}

TEST(Percentile, IsTheSmallestSampleAtOrAboveTheFraction) {
  const auto sorted = one_to(100);

  EXPECT_EQ(percentile(sorted, 0.95), 95);
  EXPECT_EQ(percentile(sorted, 0.951), 96);
  EXPECT_EQ(percentile(sorted, 0.99), 99);
  EXPECT_EQ(percentile(sorted, 0), 1);
  EXPECT_EQ(percentile(sorted, 1), 100);
}

TEST(Percentile, OfOneSampleIsThatSample) {
  const std::vector<double> one{7};

  EXPECT_EQ(percentile(one, 0.5), 7);
  EXPECT_EQ(percentile(one, 0.99), 7);
}

TEST(Percentile, IsNotPushedToTheNextRankByRounding) {
  const auto sorted = one_to(3000);

  for (std::size_t percent = 1; percent <= 100; ++percent)
    EXPECT_EQ(percentile(sorted, static_cast<double>(percent) / 100),
              static_cast<double>(percent * 30));
}

TEST(Quantile, LiesBetweenNeighbours) {
  const auto sorted = one_to(5);

  EXPECT_EQ(quantile(sorted, 0), 1);
  EXPECT_EQ(quantile(sorted, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.9), 4.6);
  EXPECT_EQ(quantile(sorted, 1), 5);
}

TEST(Median, IsTheMiddleOrTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

TEST(Summarize, GivesTheTextbookNumbers) {
  std::vector<double> samples{5, 4, 9, 2, 4, 5, 7, 4};

  const Summary summary = summarize(samples);

  EXPECT_EQ(summary.n, 8u);
  EXPECT_EQ(summary.min, 2);
  EXPECT_EQ(summary.max, 9);
  EXPECT_EQ(summary.median, 4.5);
  EXPECT_DOUBLE_EQ(summary.mean, 5);
  EXPECT_DOUBLE_EQ(summary.stdev, 2);
  EXPECT_DOUBLE_EQ(summary.cv, 0.4);
  EXPECT_EQ(summary.p95, 9);
}

TEST(Summarize, DividesThePopulationVarianceByN) {
  std::vector<double> samples{1, 3};

  EXPECT_DOUBLE_EQ(summarize(samples).stdev, 1);
}

TEST(Summarize, OfOneSampleHasNoSpread) {
  std::vector<double> samples{3.5};

  const Summary summary = summarize(samples);

  EXPECT_EQ(summary.median, 3.5);
  EXPECT_EQ(summary.stdev, 0);
}

TEST(Summarize, KeepsDigitsOfNearlyEqualLargeSamples) {
  std::vector<double> samples{1e12 + 1, 1e12 + 2, 1e12 + 3};

  const Summary summary = summarize(samples);

  EXPECT_DOUBLE_EQ(summary.mean, 1e12 + 2);
  EXPECT_NEAR(summary.stdev, std::sqrt(2.0 / 3.0), 1e-4);
}

TEST(Summarize, OfZerosHasVariationZero) {
  std::vector<double> samples{0, 0, 0};

  EXPECT_EQ(summarize(samples).cv, 0);
}

TEST(MedianInterval, DoesNotExistBelowSixSamples) {
  auto samples = one_to(5);

  const Summary summary = summarize(samples);

  EXPECT_TRUE(std::isnan(summary.ci95_low));
  EXPECT_TRUE(std::isnan(summary.ci95_high));
}

// The ranks of the sign test's tables: n, lower, upper.
TEST(MedianInterval, TakesTheTabulatedOrderStatistics) {
  struct Row {
    std::size_t n;
    double low, high;
  };
  for (const Row row :
       {Row{6, 1, 6}, Row{8, 1, 8}, Row{9, 2, 8}, Row{10, 2, 9}, Row{12, 3, 10}, Row{15, 4, 12},
        Row{20, 6, 15}, Row{25, 8, 18}, Row{50, 18, 33}, Row{100, 40, 61}}) {
    auto samples = one_to(row.n);
    const Summary summary = summarize(samples);
    EXPECT_EQ(summary.ci95_low, row.low) << "n = " << row.n;
    EXPECT_EQ(summary.ci95_high, row.high) << "n = " << row.n;
  }
}

TEST(MedianInterval, DoesNotJumpWhereTheApproximationBegins) {
  auto exact = one_to(1000);
  auto approximate = one_to(1002);

  const Summary before = summarize(exact);
  const Summary after = summarize(approximate);

  EXPECT_NEAR(after.ci95_low - before.ci95_low, 1, 1);
  EXPECT_NEAR(after.ci95_high - before.ci95_high, 1, 1);
}

TEST(MedianInterval, EnclosesTheMedianOfASkewedDistributionAsOftenAsItSays) {
  const auto draw = [](std::mt19937_64& random) {
    return std::exponential_distribution<double>(1)(random);
  };

  for (const std::size_t n : {6u, 10u, 25u, 100u, 1500u}) {
    const double measured = coverage(n, std::log(2.0), draw);
    EXPECT_GE(measured, 0.94) << "n = " << n;
    EXPECT_LE(measured, 0.99) << "n = " << n;
  }
}

TEST(MedianInterval, EnclosesTheMedianWhereTheMeanDoesNotExist) {
  const auto draw = [](std::mt19937_64& random) {
    return std::cauchy_distribution<double>(3, 1)(random);
  };

  EXPECT_GE(coverage(20, 3, draw), 0.95);
}

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
