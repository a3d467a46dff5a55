// At which sizes the memory is asked.
#include "bench/expect/node_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB, kMuch = std::size_t{1} << 40;

std::vector<std::size_t> sizes(std::vector<double> footprints, std::size_t l3_bytes = 32 * kMiB,
                               std::size_t free_bytes = kMuch) {
  return probe_sizes(footprints, l3_bytes, free_bytes);
}

TEST(ProbeSizes, LieAroundTheFootprints) {
  EXPECT_THAT(sizes({100.0 * kKiB}), testing::ElementsAre(64 * kKiB, 256 * kKiB));
  EXPECT_THAT(sizes({2.0 * kMiB, 5.0 * kMiB}), testing::ElementsAre(kMiB, 4 * kMiB, 16 * kMiB));
}

TEST(ProbeSizes, EndBeyondTheCaches) {
  EXPECT_THAT(sizes({1e12}), testing::ElementsAre(64 * kMiB));
  EXPECT_THAT(sizes({3.0 * kMiB, 1e12}),
              testing::ElementsAre(kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB));
  EXPECT_THAT(sizes({1e12}, 1024 * kMiB), testing::ElementsAre(512 * kMiB));
}

TEST(ProbeSizes, LeaveFreeMemoryAlone) {
  EXPECT_THAT(sizes({1e12}, 32 * kMiB, 256 * kMiB), testing::ElementsAre(32 * kMiB));
  EXPECT_THAT(sizes({1e12}, 32 * kMiB, 0), testing::ElementsAre(64 * kKiB));
}

TEST(ProbeSizes, OfNothingAreNone) { EXPECT_THAT(sizes({}), testing::IsEmpty()); }

}  // namespace
}  // namespace linerate
