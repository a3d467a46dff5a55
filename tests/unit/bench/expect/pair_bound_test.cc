// Bounds of messages between pairs of ranks, worked by hand.
#include "bench/expect/pair_bound.h"

#include "support/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;

// Reads and writes of 1 MiB each, a message of 1 MiB, in a millisecond.
constexpr double kMessagePerMs = 2 * kMiB / 1e6;

MemoryCurve curve(double messages_per_ms) {
  const double gbps = messages_per_ms * kMessagePerMs;
  return MemoryCurve({{.bytes = kMiB, .read_gbps = gbps, .write_gbps = gbps, .copy_gbps = gbps}});
}

// A core moves a message in a millisecond, all of them 1.6 in that time.
PairLimits limits(int nranks = 2, double all_per_ms = 1.6) {
  return {.all = {.memory = curve(all_per_ms)}, .lone = curve(1), .nranks = nranks};
}

// Ten messages of 1 MiB one way.
PairRun run_of(int from_ms, int to_ms) {
  return {.bytes = kMiB,
          .messages = 10,
          .busbw_gbps = 1,
          .span = {.start_ns = from_ms * kNsPerMs, .end_ns = to_ms * kNsPerMs}};
}

PairRun both_ways(PairRun run) {
  run.ways = 2;
  return run;
}

using Bounds = std::vector<std::optional<Expectation>>;

Bounds bounds_of(const std::vector<PairRun>& round, const PairLimits& limits) {
  return pair_bounds(round, limits);
}

// Of times that probes tell, because theirs and the run's differ by chance.
constexpr double kProbed = 0.9;

// The part of its bound that a run of 1 GB/s reached, but for the probes' noise.
double reached(const std::optional<Expectation>& bound) {
  return 1 / bound.value().busbw_gbps / kProbed;
}

// The part below which it is low, of the same bound.
double low(const std::optional<Expectation>& bound) { return bound.value().low_below / kProbed; }

// All cores would need 6.25 ms; one core, which is enough, 10.
TEST(PairBounds, OfOneWayFollowFromAllCoresAndAskForOne) {
  const auto bound = bounds_of({run_of(0, 10)}, limits()).front();

  EXPECT_NEAR(reached(bound), 6.25 / 10, 1e-9);
  EXPECT_EQ(bound->bound_by, "memory");
  EXPECT_NEAR(low(bound), 0.5 * 6.25 / 10, 1e-9);
}

TEST(PairBounds, OfBothWaysAskForBothCores) {
  const auto bound = bounds_of({both_ways(run_of(0, 10))}, limits()).front();

  EXPECT_NEAR(reached(bound), 6.25 / 10, 1e-9);
  EXPECT_NEAR(low(bound), 0.5, 1e-9);
}

// Eight ranks reach six times as much as one, but two of them no more than twice.
TEST(PairBounds, AreNeverAboveWhatTwoCoresReachAlone) {
  const auto bound = bounds_of({both_ways(run_of(0, 10))}, limits(8, 6)).front();

  EXPECT_NEAR(reached(bound), 5 / 10.0, 1e-9);
  EXPECT_EQ(bound->bound_by, "two cores");
  EXPECT_NEAR(low(bound), 0.5 * 5 / (10 * 4 / 6.0), 1e-9);
}

// Where ranks share cores, they reach less together than one of them alone.
TEST(PairBounds, AreNeverBelowWhatOneCoreReachesAlone) {
  const auto bound = bounds_of({run_of(0, 10)}, limits(8, 0.5)).front();

  EXPECT_NEAR(reached(bound), 1, 1e-9);
}

TEST(PairBounds, TrustNoProbeOfRanksThatShareCores) {
  auto crowded = limits(4, 0.8);
  EXPECT_NEAR(reached(bounds_of({both_ways(run_of(0, 10))}, crowded).front()), 1, 1e-9);

  crowded.all.crowded = true;
  EXPECT_NEAR(reached(bounds_of({both_ways(run_of(0, 10))}, crowded).front()), 6.25 / 10, 1e-9);
}

// Two pairs of four ranks, 20 messages at 1.6 in a millisecond.
TEST(PairBounds, OfPairsAtOnceShareTheMemory) {
  for (const auto& bound : bounds_of({run_of(0, 20), run_of(0, 20)}, limits(4))) {
    EXPECT_NEAR(reached(bound), 12.5 / 20, 1e-9);
    EXPECT_NEAR(low(bound), 0.5, 1e-9);
  }
}

// Each had the memory for itself, but only a pair's part of it was sure.
TEST(PairBounds, OfPairsOneAfterTheOtherDoNot) {
  for (const auto& bound : bounds_of({run_of(0, 10), run_of(10, 20)}, limits(4))) {
    EXPECT_NEAR(reached(bound), 6.25 / 10, 1e-9);
    EXPECT_NEAR(low(bound), 0.5 * 6.25 / 12.5, 1e-9);
  }
}

TEST(PairBounds, LeaveTimeForTheWayOfAMessage) {
  auto with_latency = limits();
  with_latency.all.latency_us = 500;

  const auto one = bounds_of({run_of(0, 10)}, with_latency).front();
  const auto both = bounds_of({both_ways(run_of(0, 10))}, with_latency).front();

  EXPECT_NEAR(low(one), 0.5 * 6.25 / (10 + 5), 1e-9);
  EXPECT_NEAR(low(both), 0.5 * 6.25 / (6.25 + 2.5), 1e-9);
}

TEST(PairBounds, OfMessagesThatTakeNoLongerThanTheirWayAreNone) {
  auto with_latency = limits();
  with_latency.all.latency_us = 1001;

  EXPECT_FALSE(bounds_of({run_of(0, 10)}, with_latency).front());
}

TEST(PairBounds, OfSmallMessagesAreNone) {
  auto small = run_of(0, 10);
  small.bytes = kMinJudgedBytes;
  EXPECT_TRUE(bounds_of({small}, limits()).front());

  --small.bytes;
  EXPECT_FALSE(bounds_of({small}, limits()).front());
}

TEST(PairBounds, OfMemoryThatWasNotProbedAreNone) {
  auto points = curve(1).points();
  points[0].bytes = 8 * kMiB;
  for (const bool alone : {false, true}) {
    auto unknown = limits();
    (alone ? unknown.lone : unknown.all.memory) = MemoryCurve(points);
    EXPECT_TRUE(bounds_of({run_of(0, 10)}, unknown).front());

    (alone ? unknown.lone_left_out : unknown.all_left_out) = {2 * kMiB};
    EXPECT_FALSE(bounds_of({run_of(0, 10)}, unknown).front());
  }
}

TEST(PairBounds, AskForLessWhereTheLibraryCopiesOnTheWay) {
  auto staged = limits();
  staged.all.direct = false;

  EXPECT_NEAR(low(bounds_of({both_ways(run_of(0, 10))}, staged).front()), 0.15, 1e-9);
}

// Reads of 1 MiB are twice as fast as memory: the bound may profit of it, a healthy run need not.
TEST(PairBounds, LeaveCachesToWhatIsRead) {
  auto cached = limits();
  auto points = curve(0.5).points();
  points[0].bytes = 2 * kMiB;
  points.push_back(curve(1).points()[0]);
  cached.lone = cached.all.memory = MemoryCurve(points);

  const auto bound = bounds_of({run_of(0, 20)}, cached).front();

  EXPECT_NEAR(reached(bound), 10 / 20.0, 1e-9);
  EXPECT_NEAR(low(bound), 0.5 * 10 / 20, 1e-9);
}

TEST(PairFootprints, AreThoseOfMessagesReadAndWritten) {
  EXPECT_EQ(lone_footprint(kMiB).read_bytes, 1.0 * kMiB);
  EXPECT_EQ(lone_footprint(kMiB).all_bytes, 2.0 * kMiB);
  EXPECT_EQ(round_footprint(kMiB, 2, 3).read_bytes, 6.0 * kMiB);
  EXPECT_EQ(round_footprint(kMiB, 2, 3).all_bytes, 12.0 * kMiB);
}

// A message is read, or read and written; both ways at once, and by three pairs.
TEST(PairFootprints, AreOfOneCoreAndOfAllPairsAtOnce) {
  const auto found = footprints_between(kMiB, kMiB, 3);

  EXPECT_THAT(found.lone, testing::ElementsAre(kMiB, 2 * kMiB, kMiB, 2 * kMiB));
  const std::vector<double> of_a_size{3 * kMiB, 6 * kMiB, 6 * kMiB, 12 * kMiB};
  ASSERT_EQ(found.round.size(), 2 * of_a_size.size());
  EXPECT_EQ(std::vector(found.round.begin(), found.round.begin() + 4), of_a_size);
}

TEST(PairFootprints, OfMessagesThatNobodyJudgesAreNone) {
  const auto found = footprints_between(8, kMinJudgedBytes, 1);

  EXPECT_EQ(found.lone.size(), 2U);
  EXPECT_EQ(found.round.size(), 4U);
  EXPECT_TRUE(footprints_between(8, kMinJudgedBytes - 1, 1).lone.empty());
}

}  // namespace
}  // namespace linerate
