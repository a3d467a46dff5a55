// The division of a call's elements: everything is in one part, and belongs to one thread.
#include "backends/nccl/device_api/device_kernels.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate::nccl {
namespace {

constexpr std::size_t kUnit = 16;

TEST(PartsOf, HasVectorsOnlyWhereBothBuffersAreAligned) {
  for (std::size_t offset = 0; offset < 40; offset += 2)
    for (std::size_t bytes = 0; bytes < 100; bytes += 2) {
      const Parts parts = parts_of(offset, offset + 64, bytes, kUnit);

      EXPECT_LE(parts.lead, parts.rest);
      EXPECT_LE(parts.rest, bytes);
      EXPECT_EQ(parts.lead + parts.units * kUnit, parts.rest);
      EXPECT_LT(bytes - parts.rest, kUnit);
      EXPECT_TRUE(parts.units == 0 || (offset + parts.lead) % kUnit == 0);
    }
}

TEST(PartsOf, IsAllVectorsWhereItCanBe) {
  const Parts parts = parts_of(32, 0, 64, kUnit);

  EXPECT_EQ(parts.lead, 0u);
  EXPECT_EQ(parts.units, 4u);
  EXPECT_EQ(parts.rest, 64u);
}

TEST(PartsOf, HasNoVectorsWhereTheBuffersDiffer) {
  const Parts parts = parts_of(8, 0, 64, kUnit);

  EXPECT_EQ(parts.lead, 64u);
  EXPECT_EQ(parts.units, 0u);
  EXPECT_EQ(parts.rest, 64u);
}

TEST(ShareOf, GivesEveryIndexToOneThread) {
  constexpr std::size_t kRanks = 3, kCtas = 2, kThreads = 4, kElements = 101;
  std::vector<int> owners(kElements);

  for (std::size_t rank = 0; rank < kRanks; ++rank)
    for (std::size_t cta = 0; cta < kCtas; ++cta)
      for (std::size_t thread = 0; thread < kThreads; ++thread) {
        const Share share = share_of({rank, kRanks, cta, kCtas, thread, kThreads});
        for (std::size_t i = share.first; i < kElements; i += share.stride) ++owners[i];
      }

  EXPECT_EQ(owners, std::vector<int>(kElements, 1));
}

}  // namespace
}  // namespace linerate::nccl
