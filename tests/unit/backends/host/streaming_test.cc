// How stores are made: past the caches for what exceeds them and for what comes back too late.
#include "backends/host/streaming.h"

#include "support/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace linerate::host {
namespace {

constexpr std::size_t kCache = 32 * kMiB;

class StreamingTest : public testing::Test {
 protected:
  const std::byte* page(std::size_t i) const { return memory_.data() + i * 4096; }
  bool goes_past(const std::byte* result, std::size_t footprint) {
    return streaming_.stores(result, footprint, true) == Stores::past_caches;
  }

  std::vector<std::byte> memory_ = std::vector<std::byte>(3000 * 4096);
  Streaming streaming_{kCache};
};

TEST_F(StreamingTest, GoesPastTheCachesWhereTheBuffersTakeMostOfThem) {
  EXPECT_EQ(streaming_.stores(page(0), kCache / 4 * 3 - 1, false), Stores::cached);
  EXPECT_EQ(streaming_.stores(page(0), kCache / 4 * 3, false), Stores::past_caches);
}

TEST_F(StreamingTest, CopiesThatTheCacheWouldHoldAreMadeByStrings) {
  const Stores most = has_fast_strings() ? Stores::strings : Stores::past_caches;

  EXPECT_EQ(streaming_.stores(page(0), kCache / 4 * 3 - 1, true), Stores::cached);
  EXPECT_EQ(streaming_.stores(page(0), kCache / 4 * 3, true), most);
  EXPECT_EQ(streaming_.stores(page(0), kCache, true), most);
  EXPECT_EQ(streaming_.stores(page(0), kCache + 1, true), Stores::past_caches);
}

TEST_F(StreamingTest, StaysInTheCacheForBuffersThatAreUsedAgainAtOnce) {
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(goes_past(page(0), 4 * kMiB)) << i;
}

// 8 buffers of 1 MiB fit, 40 do not: when one comes round again it has left the cache.
TEST_F(StreamingTest, GoesPastForBuffersThatRotateThroughMoreThanTheCache) {
  for (std::size_t i = 0; i < 24; ++i) EXPECT_FALSE(goes_past(page(i % 8), kMiB)) << i;

  int past = 0;
  for (std::size_t i = 0; i < 120; ++i) past += goes_past(page(10 + i % 40), kMiB) ? 1 : 0;

  EXPECT_GE(past, 60);  // not the first round of 40, nor buffers whose places collide
}

// More buffers than are remembered: whoever is not among those has not been used for long.
TEST_F(StreamingTest, GoesPastForBuffersThatAreTooManyToRemember) {
  int past = 0;
  for (std::size_t i = 0; i < 6000; ++i) past += goes_past(page(i % 3000), 128 << 10) ? 1 : 0;

  EXPECT_GE(past, 3000);
}

TEST_F(StreamingTest, StaysWhereTheCacheIsNotKnownOrThePayloadIsSmall) {
  Streaming blind{0};

  EXPECT_EQ(blind.stores(page(0), 1000 * kMiB, true), Stores::cached);
  for (std::size_t i = 0; i < 4000; ++i) EXPECT_FALSE(goes_past(page(i % 64), 16 << 10));
}

// Around a line and a page, from and to any place within a line.
TEST(MoveBytes, CopiesTheSameHoweverItStores) {
  std::vector<std::byte> from(9000);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i % 251 + 1);
  for (const Stores stores : {Stores::cached, Stores::strings, Stores::past_caches})
    for (const std::size_t bytes : {0, 1, 63, 64, 65, 200, 4095, 4096, 4097, 8500})
      for (const std::size_t shift : {0, 1, 31, 63}) {
        std::vector<std::byte> to(from.size()), expected(from.size());
        std::copy_n(from.begin() + 7, bytes, expected.begin() + static_cast<long>(shift));

        move_bytes(to.data() + shift, from.data() + 7, bytes, stores);
        finish(stores);

        EXPECT_EQ(to, expected) << bytes << " bytes, " << shift;
      }
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
