// When stores bypass the caches: for what exceeds them, and for what comes back too late.
#include "backends/host/streaming.h"

#include "support/sizes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace linerate::host {
namespace {

constexpr std::size_t kCache = 32 * kMiB;

class StreamingTest : public testing::Test {
 protected:
  const std::byte* page(std::size_t i) const { return memory_.data() + i * 4096; }

  std::vector<std::byte> memory_ = std::vector<std::byte>(3000 * 4096);
  Streaming streaming_{kCache};
};

TEST_F(StreamingTest, PaysWhereTheBuffersTakeMostOfTheCache) {
  EXPECT_FALSE(streaming_.pays(page(0), kCache / 4 * 3 - 1));
  EXPECT_TRUE(streaming_.pays(page(0), kCache / 4 * 3));
}

TEST_F(StreamingTest, DoesNotPayForBuffersThatAreUsedAgainAtOnce) {
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(streaming_.pays(page(0), 4 * kMiB)) << i;
}

// 8 buffers of 1 MiB fit, 40 do not: when one comes round again it has left the cache.
TEST_F(StreamingTest, PaysForBuffersThatRotateThroughMoreThanTheCache) {
  for (std::size_t i = 0; i < 24; ++i) EXPECT_FALSE(streaming_.pays(page(i % 8), kMiB)) << i;

  int paid = 0;
  for (std::size_t i = 0; i < 120; ++i) paid += streaming_.pays(page(10 + i % 40), kMiB) ? 1 : 0;

  EXPECT_GE(paid, 60);  // not the first round of 40, nor buffers whose places collide
}

// More buffers than are remembered: whoever is not among those has not been used for long.
TEST_F(StreamingTest, PaysForBuffersThatAreTooManyToRemember) {
  int paid = 0;
  for (std::size_t i = 0; i < 6000; ++i) paid += streaming_.pays(page(i % 3000), 128 << 10) ? 1 : 0;

  EXPECT_GE(paid, 3000);
}

TEST_F(StreamingTest, NeverPaysWhereTheCacheIsNotKnownOrThePayloadIsSmall) {
  Streaming blind{0};

  EXPECT_FALSE(blind.pays(page(0), 1000 * kMiB));
  for (std::size_t i = 0; i < 4000; ++i) EXPECT_FALSE(streaming_.pays(page(i % 64), 16 << 10));
}

TEST(FootprintOf, CountsBuffersInPlaceOnce) {
  std::vector<std::byte> memory(256);
  Op op{.kind = OpKind::all_reduce,
        .send = ConstView(memory).first(128),
        .recv = View(memory).last(128),
        .count = 32};

  EXPECT_EQ(footprint_of(op, 0, 4), 4u * 256);
  op.send = op.recv;
  EXPECT_EQ(footprint_of(op, 0, 4), 4u * 128);
}

// Where the root's buffers lie, the others cannot see.
TEST(FootprintOf, IsTheSameOnAllRanksOfARootedCall) {
  std::vector<std::byte> memory(256);
  const Op root{.kind = OpKind::broadcast,
                .send = ConstView(memory).first(128),
                .recv = View(memory).last(128),
                .count = 32};
  const Op other{.kind = OpKind::broadcast, .recv = View(memory).first(128), .count = 32};

  EXPECT_EQ(footprint_of(root, 0, 4), 4u * 128);
  EXPECT_EQ(footprint_of(other, 3, 4), 4u * 128);
}

}  // namespace
}  // namespace linerate::host
