// Bounds of collectives over one memory, worked by hand.
#include "model/memory_bound.h"

#include "model/buffer_reuse.h"
#include "model/host_model.h"
#include "support/sizes.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

MemoryCurve curve() {
  return MemoryCurve({{.bytes = 64 * kMiB, .read_gbps = 20, .write_gbps = 10, .copy_gbps = 15},
                      {.bytes = kMiB, .read_gbps = 100, .write_gbps = 50, .copy_gbps = 75}});
}

TEST(MemoryCurves, AreStraightBetweenPointsOnALogarithmicScale) {
  EXPECT_DOUBLE_EQ(curve().at(8.0 * kMiB).read_gbps, 60);
  EXPECT_DOUBLE_EQ(curve().at(8.0 * kMiB).write_gbps, 30);
}

TEST(MemoryCurves, StayAsTheyAreBeyondTheirEnds) {
  EXPECT_EQ(curve().at(1).read_gbps, 100);
  EXPECT_EQ(curve().at(1e12).read_gbps, 20);
}

Footprint footprint(double read_bytes, double written_bytes, double distance_bytes) {
  return {.read_bytes = read_bytes,
          .written_bytes = written_bytes,
          .reuse = {{.distance_bytes = distance_bytes}}};
}

TEST(MemoryCurves, TakeReadsAndWritesTogetherAndTheRestAlone) {
  const double large = 64.0 * kMiB;

  EXPECT_DOUBLE_EQ(curve().min_us(footprint(20e3, 0, large)), 1);
  EXPECT_DOUBLE_EQ(curve().min_us(footprint(0, 20e3, large)), 2);
  EXPECT_DOUBLE_EQ(curve().min_us(footprint(35e3, 15e3, large)), 3);
}

MemoryPoint flat_point(double copy_gbps, double update_gbps) {
  return {.bytes = kMiB,
          .read_gbps = 1,
          .write_gbps = 1,
          .copy_gbps = copy_gbps,
          .update_gbps = update_gbps};
}

// 20 GB/s as an update where a copy gives 15.
TEST(MemoryCurves, TakeWhatIsUpdatedAsAnUpdate) {
  const MemoryCurve flat({flat_point(15, 20)});
  auto both = footprint(25e3, 25e3, 1.0 * kMiB);
  both.updated_bytes = 10e3;

  EXPECT_DOUBLE_EQ(flat.min_us(both), 2 * 10 / 20.0 + 2 * 15 / 15.0);
}

// A copy past the caches may beat an update.
TEST(MemoryCurves, TakeWhatIsUpdatedAsACopyWhereThatIsFaster) {
  const MemoryCurve flat({flat_point(20, 15)});
  auto all = footprint(10e3, 10e3, 1.0 * kMiB);
  all.updated_bytes = 10e3;

  EXPECT_DOUBLE_EQ(flat.min_us(all), 1);
}

// A quarter of the calls come to memory at 20 GB/s, the rest to a cache at 100.
TEST(MemoryCurves, CountEachCallByWhereItComes) {
  auto reads = footprint(20e3, 0, 64.0 * kMiB);
  reads.reuse = {{.fraction = 0.25, .distance_bytes = 64.0 * kMiB},
                 {.fraction = 0.75, .distance_bytes = 1.0 * kMiB}};

  EXPECT_DOUBLE_EQ(curve().min_us(reads), 0.25 * 1 + 0.75 * 0.2);
}

bool covers(double bytes, const std::vector<std::size_t>& missing) {
  return curve().covers({&bytes, 1}, missing);
}

TEST(MemoryCurves, KnowNothingBetweenPointsWhereASizeIsMissing) {
  const std::vector<std::size_t> missing{4 * kMiB, 16 * kMiB};

  EXPECT_FALSE(covers(8.0 * kMiB, missing));
  EXPECT_TRUE(covers(8.0 * kMiB, {}));
  EXPECT_TRUE(covers(1.0 * kMiB, missing));
  EXPECT_TRUE(covers(64.0 * kMiB, missing));
  EXPECT_TRUE(covers(500.0 * kMiB, missing));
  EXPECT_TRUE(covers(0.5 * kMiB, missing));
}

TEST(MemoryCurves, KnowWhereAllFootprintsAreKnown) {
  const std::vector<std::size_t> missing{4 * kMiB};
  const std::vector<double> both{1.0 * kMiB, 8.0 * kMiB};

  EXPECT_FALSE(curve().covers(both, missing));
  EXPECT_TRUE(curve().covers(both, {}));
  EXPECT_FALSE(MemoryCurve().covers(both, {}));
}

TEST(MemoryCurves, KnowCachesByTheirSpeedToo) {
  const auto beyond = [](double mib, std::size_t l3_mib) {
    return curve().beyond_caches(footprint(1, 1, mib * kMiB), l3_mib * kMiB);
  };

  EXPECT_TRUE(beyond(128, 32));
  EXPECT_FALSE(beyond(1, 32));
  EXPECT_TRUE(beyond(60, 63));   // as slow as what is beyond
  EXPECT_FALSE(beyond(60, 64));  // nothing beyond was measured
}

TEST(MemoryCurves, AreBeyondCachesWhereMostCallsAre) {
  auto mixed = footprint(1, 1, 0);
  mixed.reuse = {{.fraction = 0.6, .distance_bytes = 128.0 * kMiB},
                 {.fraction = 0.4, .distance_bytes = 1.0 * kMiB}};

  EXPECT_TRUE(curve().beyond_caches(mixed, 32 * kMiB));
  mixed.reuse[0].fraction = 0.4, mixed.reuse[1].fraction = 0.6;
  EXPECT_FALSE(curve().beyond_caches(mixed, 32 * kMiB));
}

TEST(Footprints, OfFewCallsAreLeftOut) {
  const Footprint mostly{.reuse = {{.fraction = 0.05, .distance_bytes = 1},
                                   {.fraction = 0, .distance_bytes = 2},
                                   {.fraction = 0.95, .distance_bytes = 3}}};

  EXPECT_EQ(mostly.distances(), std::vector<double>{3});
}

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

double low_share(const Expectation& expected) { return expected.low_gbps / expected.busbw_gbps; }

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
  EXPECT_NEAR(low_share(*bound), 0.2, 1e-9);
}

// Half a barrier of ranks that wait for cores is the scheduler's, and no message's.
TEST(MemoryBounds, OfRanksThatShareCoresHaveNoLatency) {
  const auto call = call_of("all_reduce", 2);
  auto shared = limits(100);
  shared.shared_cores = true;

  const auto bound = bound_of(call, shared);
  EXPECT_NEAR(bound->busbw_gbps, 8, 1e-9);
  EXPECT_LT(low_share(*bound), 0.2);  // a healthy run has it all the same
  shared.latency_us = 1e6;
  EXPECT_EQ(bound_of(call, shared), std::nullopt);
}

// A probe whose passes differ by a fifth may be that much below what a result reaches.
TEST(MemoryBounds, HaveTheProbesNoiseAsSlack) {
  auto noisy = limits();
  noisy.curve = MemoryCurve(
      {{.bytes = kMiB, .read_gbps = 20, .write_gbps = 10, .copy_gbps = 16, .noise = 1.2}});
  const auto call = call_of("all_reduce", 2);

  const auto bound = bound_of(call, noisy), quiet = bound_of(call, limits());

  EXPECT_DOUBLE_EQ(bound->slack, 1.2);
  EXPECT_DOUBLE_EQ(bound->low_gbps, quiet->low_gbps);
  EXPECT_DOUBLE_EQ(bound->high_gbps, 1.2 * quiet->high_gbps);
}

// Others had a core during most of the barriers: a call without them is no error of the bound.
TEST(MemoryBounds, CallNothingAboveThatTheFastestMessageAllows) {
  const auto call = call_of("all_reduce", 2);
  auto busy = limits(1e6);
  busy.least_latency_us = 1;

  const auto bound = bound_of(call, busy), slow = bound_of(call, limits(1e6));

  EXPECT_DOUBLE_EQ(bound->busbw_gbps, slow->busbw_gbps);
  EXPECT_DOUBLE_EQ(bound->low_gbps, slow->low_gbps);
  EXPECT_NEAR(bound->high_gbps, bound_of(call, limits(1))->high_gbps, 1e-9);
}

TEST(MemoryCurves, InterpolateTheNoiseToo) {
  const MemoryCurve curve({{.bytes = kMiB, .copy_gbps = 2, .noise = 1.2},
                           {.bytes = 4 * kMiB, .copy_gbps = 1, .noise = 1.4}});

  EXPECT_DOUBLE_EQ(curve.at(2.0 * kMiB).noise, 1.3);
}

TEST(HostModel, IsTheSameOnWhatWasProbedAgain) {
  const HostModel model({.reuse = {.buffers = {.slides = false}}, .memory = limits()});
  const auto call = call_of("all_reduce", 2);
  const std::vector<MemoryPoint> slower{
      {.bytes = kMiB, .read_gbps = 10, .write_gbps = 5, .copy_gbps = 8}};

  const auto again = model.probed_again(slower, {});

  EXPECT_NEAR(again->bound(call)->busbw_gbps, model.bound(call)->busbw_gbps / 2, 1e-9);
  EXPECT_EQ(model.probed_again({}, {}), nullptr);
}

TEST(MemoryBounds, SayWhatBinds) {
  const auto call = call_of("all_reduce", 2);

  EXPECT_EQ(bound_of(call, limits(1))->bound_by, "memory");
  EXPECT_EQ(bound_of(call, limits(1e6))->bound_by, "latency");
}

double low_share(std::string_view name, Placement placement) {
  auto call = call_of(name, 2);
  call.placement = placement;
  return low_share(*bound_of(call, limits()));
}

// Where one core of two has all the work, half of what both reach is healthy.
TEST(MemoryBounds, AreReachedByThoseThatHaveSomethingToMove) {
  EXPECT_DOUBLE_EQ(low_share("scatter", Placement::out_of_place), 0.4);
  EXPECT_DOUBLE_EQ(low_share("scatter", Placement::in_place), 0.2);
  EXPECT_DOUBLE_EQ(low_share("reduce", Placement::out_of_place), 0.4);  // its inputs are everywhere
}

TEST(MemoryBounds, OfExchangesInPlaceCallNothingLow) {
  EXPECT_DOUBLE_EQ(low_share("sendrecv", Placement::out_of_place), 0.4);
  EXPECT_DOUBLE_EQ(low_share("sendrecv", Placement::in_place), 0);
}

TEST(MemoryBounds, OfOneRankAloneAreNone) {
  const auto call = call_of("all_reduce", 1);

  EXPECT_FALSE(bound_of(call, limits()));
}

}  // namespace

}  // namespace linerate
