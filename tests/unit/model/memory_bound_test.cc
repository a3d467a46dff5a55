// Bounds of collectives over one memory, worked by hand.
#include "model/memory_bound.h"

#include "model/buffer_reuse.h"
#include "support/sizes.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

// 10 GB/s written, 20 read, 16 copied, at any size.
MemoryLimits limits(double latency_us = 0) {
  return {
      .curve = MemoryCurve({{.bytes = kMiB, .read_gbps = 20, .write_gbps = 10, .copy_gbps = 16}}),
      .latency_us = latency_us};
}

// Of 4 MiB.
ModeledCall call_of(std::string_view name, int nranks) {
  const auto* collective = find_collective(name);
  const auto count = count_of(*collective, 4 * kMiB, DataType::float32, nranks);
  return {.collective = collective, .sizing = {.count = count, .nranks = nranks}};
}

std::optional<Expectation> bound_of(const ModeledCall& call, const MemoryLimits& limits) {
  return memory_bound(call, limits, footprint_of(call, {.buffers = {.slides = false}}));
}

double bound_gbps(std::string_view name, int nranks, double latency_us = 0) {
  return bound_of(call_of(name, nranks), limits(latency_us))->busbw_gbps;
}

// 2 inputs read and 2 results written of 4 MiB each: 16 MiB copied at 16 GB/s is 4 GB/s of
// algorithm bandwidth, and the bus factor of 2 ranks is 1.
TEST(MemoryBounds, OfAllReduceFollowFromItsInputsAndResults) {
  EXPECT_NEAR(bound_gbps("all_reduce", 2), 4, 1e-9);
}

// 1 input read, 3 results written: 2 parts copied at 16 GB/s, 2 written at 10.
TEST(MemoryBounds, OfBroadcastAreBoundByItsWrites) {
  EXPECT_NEAR(bound_gbps("broadcast", 3), 1 / (2 / 16.0 + 2 / 10.0), 1e-9);
}

TEST(MemoryBounds, CountTheWayOfOneMessage) {
  const double memory_us = 4 * kMiB / 4e3;

  EXPECT_NEAR(bound_gbps("all_reduce", 2, memory_us), 2, 1e-9);
}

// The probe of such ranks shows the scheduler: the bound doubles, what is low stays so.
TEST(MemoryBounds, TrustNoProbeOfRanksThatShareCores) {
  const auto call = call_of("all_reduce", 2);
  auto shared = limits();
  shared.shared_cores = true;

  const auto bound = bound_of(call, shared);

  EXPECT_NEAR(bound->busbw_gbps, 8, 1e-9);
  EXPECT_NEAR(bound->low_below, 0.25, 1e-9);
}

// Half a barrier of ranks that wait for cores is the scheduler's, and no message's.
TEST(MemoryBounds, OfRanksThatShareCoresHaveNoLatency) {
  const auto call = call_of("all_reduce", 2);
  auto shared = limits(100);
  shared.shared_cores = true;

  const auto bound = bound_of(call, shared);
  EXPECT_NEAR(bound->busbw_gbps, 8, 1e-9);
  EXPECT_LT(bound->low_below, 0.25);  // a healthy run has it all the same
  shared.latency_us = 1e6;
  EXPECT_EQ(bound_of(call, shared), std::nullopt);
}

TEST(MemoryBounds, SayWhatBinds) {
  const auto call = call_of("all_reduce", 2);

  EXPECT_EQ(bound_of(call, limits(1))->bound_by, "memory");
  EXPECT_EQ(bound_of(call, limits(1e6))->bound_by, "latency");
}

double low_below(std::string_view name, Placement placement) {
  auto call = call_of(name, 2);
  call.placement = placement;
  return bound_of(call, limits())->low_below;
}

// Where one core of two has all the work, half of what both reach is healthy.
TEST(MemoryBounds, AreReachedByThoseThatHaveSomethingToMove) {
  EXPECT_DOUBLE_EQ(low_below("scatter", Placement::out_of_place), 0.5);
  EXPECT_DOUBLE_EQ(low_below("scatter", Placement::in_place), 0.25);
  EXPECT_DOUBLE_EQ(low_below("reduce", Placement::out_of_place), 0.5);  // its inputs are everywhere
}

TEST(MemoryBounds, OfExchangesInPlaceAreReachedByNobody) {
  EXPECT_DOUBLE_EQ(low_below("sendrecv", Placement::out_of_place), 0.5);
  EXPECT_DOUBLE_EQ(low_below("sendrecv", Placement::in_place), 0.15);
}

TEST(MemoryBounds, OfOneRankAloneAreNone) {
  const auto call = call_of("all_reduce", 1);

  EXPECT_FALSE(bound_of(call, limits()));
}

}  // namespace
}  // namespace linerate
