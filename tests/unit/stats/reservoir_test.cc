// Exact below the capacity, uniform above it, and without allocation.
#include "stats/reservoir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace linerate::stats {
namespace {

TEST(Reservoir, KeepsEverySampleInOrderUpToItsCapacity) {
  Reservoir reservoir(4);

  for (const double sample : {3.0, 1.0, 4.0, 1.5}) reservoir.add(sample);

  const std::vector<double> kept(reservoir.kept().begin(), reservoir.kept().end());
  EXPECT_EQ(kept, (std::vector<double>{3.0, 1.0, 4.0, 1.5}));
}

TEST(Reservoir, SummarizesLikeTheSamplesThemselvesUpToItsCapacity) {
  Reservoir reservoir(100);
  std::vector<double> samples;
  for (int i = 0; i < 100; ++i) samples.push_back((i * 37) % 101 + 0.25);
  for (const double sample : samples) reservoir.add(sample);

  const Summary got = reservoir.summary();
  const Summary expected = summarize(samples);

  EXPECT_EQ(got.n, expected.n);
  EXPECT_EQ(got.median, expected.median);
  EXPECT_EQ(got.p99, expected.p99);
  EXPECT_EQ(got.ci95_low, expected.ci95_low);
  EXPECT_NEAR(got.mean, expected.mean, 1e-12);
  EXPECT_NEAR(got.stdev, expected.stdev, 1e-12);
}

TEST(Reservoir, CountsAndBoundsSamplesItNoLongerKeeps) {
  Reservoir reservoir(8);

  reservoir.add(-5);
  reservoir.add(1000);
  for (int i = 0; i < 9998; ++i) reservoir.add(1);

  EXPECT_EQ(reservoir.count(), 10000u);
  EXPECT_EQ(reservoir.kept().size(), 8u);
  const Summary summary = reservoir.summary();
  EXPECT_EQ(summary.n, 10000u);
  EXPECT_EQ(summary.min, -5);
  EXPECT_EQ(summary.max, 1000);
  EXPECT_NEAR(summary.mean, (9998.0 + 995.0) / 10000, 1e-9);
}

TEST(Reservoir, KeepsEarlyAndLateSamplesWithEqualProbability) {
  constexpr std::size_t kCapacity = 2000;
  constexpr int kSamples = 20000;
  Reservoir reservoir(kCapacity);

  for (int i = 0; i < kSamples; ++i) reservoir.add(i);

  // Each tenth of the stream should hold a tenth of the kept: 200, standard deviation below 14.
  for (int tenth = 0; tenth < 10; ++tenth) {
    const auto kept = reservoir.kept();
    const auto here = std::count_if(kept.begin(), kept.end(), [&](double sample) {
      return static_cast<int>(sample) / (kSamples / 10) == tenth;
    });
    EXPECT_NEAR(static_cast<double>(here), 200, 60) << "tenth " << tenth;
  }
}

TEST(Reservoir, KeepsTheSameIterationsOnEveryRank) {
  Reservoir rank0(16), rank1(16);

  for (int i = 0; i < 5000; ++i) {
    rank0.add(i);
    rank1.add(i + 0.5);
  }

  for (std::size_t place = 0; place < 16; ++place)
    EXPECT_EQ(rank0.kept()[place] + 0.5, rank1.kept()[place]);
}

TEST(Reservoir, StaysWhereItsStorageIs) {
  Reservoir reservoir(64);
  reservoir.add(0);
  const double* before = reservoir.kept().data();

  for (int i = 0; i < 1000; ++i) reservoir.add(i);

  EXPECT_EQ(reservoir.kept().data(), before);
}

TEST(Reservoir, RepeatsItselfAfterClear) {
  Reservoir reservoir(4);
  for (int i = 0; i < 100; ++i) reservoir.add(i);
  const std::vector<double> first(reservoir.kept().begin(), reservoir.kept().end());

  reservoir.clear();
  EXPECT_EQ(reservoir.count(), 0u);
  EXPECT_TRUE(reservoir.kept().empty());
  for (int i = 0; i < 100; ++i) reservoir.add(i);

  const std::vector<double> second(reservoir.kept().begin(), reservoir.kept().end());
  EXPECT_EQ(first, second);
  EXPECT_EQ(reservoir.summary().min, 0);
}

}  // namespace
}  // namespace linerate::stats
