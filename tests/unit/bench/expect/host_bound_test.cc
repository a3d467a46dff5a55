// Bounds of collectives over one memory, worked by hand.
#include "bench/expect/host_bound.h"

#include "bench/expect/places.h"
#include "support/sizes.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

// 10 GB/s written, 20 read, 16 copied, at any size.
HostLimits host_limits(double latency_us = 0) {
  return {
      .memory = MemoryCurve({{.bytes = kMiB, .read_gbps = 20, .write_gbps = 10, .copy_gbps = 16}}),
      .latency_us = latency_us};
}

Case of(std::string_view name) { return {.collective = find_collective(name), .bytes = 4 * kMiB}; }

SizedCase sized(const Case& what, int nranks) {
  return {.what = what, .sizing = sizing_of(what, nranks, nullptr)};
}

double bound_gbps(std::string_view name, int nranks, double latency_us = 0) {
  const Case what = of(name);
  const auto host_case = sized(what, nranks);
  const auto touched = touched_by(host_case, {.sliding = Sliding::fixed});
  return host_bound(host_case, host_limits(latency_us), touched)->busbw_gbps;
}

// 2 inputs read and 2 results written of 4 MiB each: 16 MiB copied at 16 GB/s is 4 GB/s of
// algorithm bandwidth, and the bus factor of 2 ranks is 1.
TEST(HostBounds, OfAllReduceFollowFromItsInputsAndResults) {
  EXPECT_NEAR(bound_gbps("all_reduce", 2), 4, 1e-9);
}

// 1 input read, 3 results written: 2 parts copied at 16 GB/s, 2 written at 10.
TEST(HostBounds, OfBroadcastAreBoundByItsWrites) {
  EXPECT_NEAR(bound_gbps("broadcast", 3), 1 / (2 / 16.0 + 2 / 10.0), 1e-9);
}

TEST(HostBounds, CountTheWayOfOneMessage) {
  const double memory_us = 4 * kMiB / 4e3;

  EXPECT_NEAR(bound_gbps("all_reduce", 2, memory_us), 2, 1e-9);
}

// The probe of such ranks shows the scheduler: the bound doubles, what is low stays so.
TEST(HostBounds, TrustNoProbeOfRanksThatShareCores) {
  const Case what = of("all_reduce");
  const auto host_case = sized(what, 2);
  const auto touched = touched_by(host_case, {.sliding = Sliding::fixed});
  auto crowded = host_limits();
  crowded.crowded = true;

  const auto bound = host_bound(host_case, crowded, touched);

  EXPECT_NEAR(bound->busbw_gbps, 8, 1e-9);
  EXPECT_NEAR(bound->low_below, 0.25, 1e-9);
}

// Half a barrier of ranks that wait for cores is the scheduler's, and no message's.
TEST(HostBounds, OfRanksThatShareCoresHaveNoLatency) {
  const Case what = of("all_reduce");
  const auto host_case = sized(what, 2);
  const auto touched = touched_by(host_case, {.sliding = Sliding::fixed});
  auto crowded = host_limits(100);
  crowded.crowded = true;

  const auto bound = host_bound(host_case, crowded, touched);
  EXPECT_NEAR(bound->busbw_gbps, 8, 1e-9);
  EXPECT_LT(bound->low_below, 0.25);  // a healthy run has it all the same
  crowded.latency_us = 1e6;
  EXPECT_EQ(host_bound(host_case, crowded, touched), std::nullopt);
}

TEST(HostBounds, SayWhatBinds) {
  const Case what = of("all_reduce");
  const auto host_case = sized(what, 2);
  const auto touched = touched_by(host_case, {.sliding = Sliding::fixed});

  EXPECT_EQ(host_bound(host_case, host_limits(1), touched)->bound_by, "memory");
  EXPECT_EQ(host_bound(host_case, host_limits(1e6), touched)->bound_by, "latency");
}

double low_below(std::string_view name, Placement placement) {
  const Case what = of(name);
  auto host_case = sized(what, 2);
  host_case.placement = placement;
  const auto touched = touched_by(host_case, {.sliding = Sliding::fixed});
  return host_bound(host_case, host_limits(), touched)->low_below;
}

// Where one core of two has all the work, half of what both reach is healthy.
TEST(HostBounds, AreReachedByThoseThatHaveSomethingToMove) {
  EXPECT_DOUBLE_EQ(low_below("scatter", Placement::out_of_place), 0.5);
  EXPECT_DOUBLE_EQ(low_below("scatter", Placement::in_place), 0.25);
  EXPECT_DOUBLE_EQ(low_below("reduce", Placement::out_of_place), 0.5);  // its inputs are everywhere
}

TEST(HostBounds, OfExchangesInPlaceAreReachedByNobody) {
  EXPECT_DOUBLE_EQ(low_below("sendrecv", Placement::out_of_place), 0.5);
  EXPECT_DOUBLE_EQ(low_below("sendrecv", Placement::in_place), 0.15);
}

TEST(HostBounds, OfOneRankAloneAreNone) {
  const Case what = of("all_reduce");
  const auto host_case = sized(what, 1);
  const auto touched = touched_by(host_case, {.sliding = Sliding::fixed});

  EXPECT_FALSE(host_bound(host_case, host_limits(), touched));
}

}  // namespace
}  // namespace linerate
