// Bandwidths by size, and the least time that follows from them.
#include "bench/expect/memory_curve.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

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

TEST(MemoryCurves, TakeReadsAndWritesTogetherAndTheRestAlone) {
  const double large = 64.0 * kMiB;

  EXPECT_DOUBLE_EQ(curve().least_us({.read_bytes = 20e3, .footprint_bytes = large}), 1);
  EXPECT_DOUBLE_EQ(curve().least_us({.written_bytes = 20e3, .footprint_bytes = large}), 2);
  EXPECT_DOUBLE_EQ(
      curve().least_us({.read_bytes = 35e3, .written_bytes = 15e3, .footprint_bytes = large}), 3);
}

TEST(MemoryCurves, KnowNothingBetweenPointsWhereASizeIsMissing) {
  const std::vector<std::size_t> missing{4 * kMiB, 16 * kMiB};

  EXPECT_FALSE(curve().knows(8.0 * kMiB, missing));
  EXPECT_TRUE(curve().knows(8.0 * kMiB, {}));
  EXPECT_TRUE(curve().knows(1.0 * kMiB, missing));
  EXPECT_TRUE(curve().knows(64.0 * kMiB, missing));
  EXPECT_TRUE(curve().knows(500.0 * kMiB, missing));
  EXPECT_TRUE(curve().knows(0.5 * kMiB, missing));
}

TEST(MemoryCurves, KnowCachesByTheirSpeedToo) {
  EXPECT_TRUE(curve().beyond_caches(128.0 * kMiB, 32 * kMiB));
  EXPECT_FALSE(curve().beyond_caches(kMiB, 32 * kMiB));
  EXPECT_TRUE(curve().beyond_caches(60.0 * kMiB, 63 * kMiB));   // as slow as what is beyond
  EXPECT_FALSE(curve().beyond_caches(60.0 * kMiB, 64 * kMiB));  // nothing beyond was measured
}

}  // namespace
}  // namespace linerate
