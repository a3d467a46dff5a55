// Bounds of groups that share one memory, worked by hand.
#include "bench/expect/group_bound.h"

#include "support/sizes.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

constexpr int kNsPerMs = 1'000'000;

// 16 MiB in a millisecond, at any size.
constexpr double kGbps = 16 * kMiB / 1e6;
const HostLimits kLimits{
    .memory = MemoryCurve(
        {{.bytes = kMiB, .read_gbps = kGbps, .write_gbps = kGbps, .copy_gbps = kGbps}})};

// all_reduce of 4 MiB: each rank reads and writes so much, a group of two takes memory 1 ms.
struct Groups {
  Groups() = default;
  Groups(const Groups&) = delete;  // `grouped` looks into it

  Case what{.collective = find_collective("all_reduce"), .bytes = 4 * kMiB};
  std::vector<std::vector<ClockSpan>> windows{{}};
  GroupedCase grouped{.what = what};

  // One call of `nranks` ranks, from `start_ms` to `end_ms`.
  Groups& add(int nranks, int start_ms, int end_ms) {
    grouped.groups.push_back({.sizing = {.count = kMiB, .nranks = nranks}, .busbw_gbps = 1});
    windows.front().push_back({start_ms * std::int64_t{kNsPerMs}, end_ms * std::int64_t{kNsPerMs}});
    grouped.windows = windows;
    return *this;
  }
  std::vector<std::optional<Expectation>> bounds(const HostLimits& limits = kLimits) const {
    return group_bounds(grouped, limits, touched_together(grouped, {.sliding = Sliding::fixed}));
  }
};

// The part of its bound that a group reached: they all say that their busbw was 1 GB/s.
double reached(const std::optional<Expectation>& bound) { return 1 / bound.value().busbw_gbps; }

TEST(GroupBounds, ShareTheMemory) {
  const auto bounds = Groups().add(2, 0, 4).add(2, 0, 4).bounds();

  ASSERT_EQ(bounds.size(), 2u);
  EXPECT_NEAR(reached(bounds[0]), 2 / 4.0, 1e-9);
  EXPECT_NEAR(reached(bounds[1]), 2 / 4.0, 1e-9);
  EXPECT_EQ(bounds[0]->bound_by, "memory");
  EXPECT_NEAR(bounds[0]->low_below, 0.5, 1e-9);
}

TEST(GroupBounds, OfGroupsThatMemoryServesOneAfterTheOtherAreReached) {
  const auto bounds = Groups().add(2, 0, 1).add(2, 0, 2).bounds();

  EXPECT_NEAR(reached(bounds[0]), 1, 1e-9);
  EXPECT_NEAR(reached(bounds[1]), 1, 1e-9);
}

TEST(GroupBounds, OfAGroupThatBeganLateDoNotCountWhatWasDoneBefore) {
  const auto bounds = Groups().add(2, 0, 1).add(2, 1, 2).bounds();

  EXPECT_NEAR(reached(bounds[0]), 1, 1e-9);
  EXPECT_NEAR(reached(bounds[1]), 1, 1e-9);
}

TEST(GroupBounds, FindTheSlowGroupAlone) {
  const auto bounds = Groups().add(2, 0, 2).add(2, 0, 20).bounds();

  EXPECT_GE(reached(bounds[0]), bounds[0]->low_below);
  EXPECT_NEAR(reached(bounds[1]), 2 / 20.0, 1e-9);
  EXPECT_LT(reached(bounds[1]), bounds[1]->low_below);
}

// Two ranks of eight, alone: their cores reach a quarter of what all do, and that is enough.
TEST(GroupBounds, AskNoMoreOfAGroupThanItsPartOfTheRanks) {
  const auto bounds = Groups().add(6, 0, 30).add(2, 0, 4).bounds();

  EXPECT_NEAR(reached(bounds[1]), 1 / 4.0, 1e-9);
  EXPECT_NEAR(bounds[1]->low_below, 0.5 / 4, 1e-9);
}

TEST(GroupBounds, AddUpOverWindows) {
  Groups groups;
  groups.add(2, 0, 1).add(2, 0, 2);
  groups.windows.push_back({groups.windows[0][1], groups.windows[0][0]});
  groups.grouped.windows = groups.windows;

  for (const auto& bound : groups.bounds()) EXPECT_NEAR(reached(bound), 1, 1e-9);
}

TEST(GroupBounds, TrustNoProbeOfRanksThatShareCores) {
  auto crowded = kLimits;
  crowded.crowded = true;

  const auto bounds = Groups().add(2, 0, 4).add(2, 0, 4).bounds(crowded);

  EXPECT_NEAR(reached(bounds[0]), 1 / 4.0, 1e-9);
  EXPECT_NEAR(bounds[0]->low_below, 0.25, 1e-9);
}

// Half of what a message takes among all ranks, besides the memory's millisecond.
TEST(GroupBounds, AddTheWayOfOneMessageAmongTheGroupsRanks) {
  auto limits = kLimits;
  limits.latency_us = 8e3;

  const auto bounds = Groups().add(2, 0, 10).add(2, 0, 10).bounds(limits);

  EXPECT_NEAR(reached(bounds[0]), (1 + 8 / 2) / 10.0, 1e-2);
  EXPECT_EQ(bounds[0]->bound_by, "latency");
}

// Half a barrier of ranks that wait for cores is the scheduler's, and no message's.
TEST(GroupBounds, OfRanksThatShareCoresHaveNoLatency) {
  auto limits = kLimits;
  limits.crowded = true;
  limits.latency_us = 1200;
  EXPECT_EQ(Groups().add(2, 0, 4).add(2, 0, 4).bounds(limits)[0], std::nullopt);

  limits.latency_us = 800;
  EXPECT_NEAR(reached(Groups().add(2, 0, 4).add(2, 0, 4).bounds(limits)[0]), 1 / 4.0, 1e-9);
}

// Its bus factor is no 0.
TEST(GroupBounds, OfOneRankAloneAreNone) {
  Groups groups;
  groups.what.collective = find_collective("broadcast");
  groups.add(2, 0, 2).add(1, 0, 2);

  EXPECT_EQ(groups.bounds()[1], std::nullopt);
}

// As with -z 3, whose windows hold barriers too.
TEST(GroupBounds, WithoutWindowsAreNone) {
  auto groups = Groups();
  groups.add(2, 0, 2).add(2, 0, 2).grouped.windows = {};

  EXPECT_EQ(groups.bounds()[0], std::nullopt);
}

TEST(GroupBounds, OfOneRankAloneInPlaceCountNothing) {
  Groups groups;
  groups.grouped.placement = Placement::in_place;
  groups.add(2, 0, 2).add(1, 0, 2);

  EXPECT_NEAR(reached(groups.bounds()[0]), 1 / 2.0, 1e-9);
}

TEST(TouchedTogether, HaveTheFootprintOfAllGroups) {
  Groups groups;
  groups.add(2, 0, 1).add(3, 0, 1);

  const auto touched = touched_together(groups.grouped, {.sliding = Sliding::fixed});

  const std::vector<double> together{(2 + 3) * 2 * 4.0 * kMiB};
  EXPECT_EQ(touched[0].footprints(), together);
  EXPECT_EQ(touched[1].footprints(), together);
  EXPECT_EQ(touched[0].read_bytes, 2 * 4.0 * kMiB);
}

}  // namespace
}  // namespace linerate
