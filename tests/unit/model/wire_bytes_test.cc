// What a call makes a rank send.
#include "model/wire_bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace linerate {
namespace {

constexpr int kWireRanks = 5, kWireRoot = 3;
constexpr std::uint64_t kWireCount = 20, kWireBytes = 4 * kWireCount;

// Of each rank.
std::vector<std::uint64_t> sent_by_ranks(OpKind kind) {
  const Op op{.kind = kind, .count = kWireCount, .type = DataType::float32, .peer = kWireRoot};
  std::vector<std::uint64_t> sent;
  for (int rank = 0; rank < kWireRanks; ++rank) sent.push_back(wire_bytes(op, rank, kWireRanks));
  return sent;
}
std::uint64_t sent_by_all(OpKind kind) {
  const auto sent = sent_by_ranks(kind);
  return std::accumulate(sent.begin(), sent.end(), std::uint64_t{0});
}

TEST(WireBytes, OfAnAllReduceAreTwiceTheShardsOfTheOthers) {
  EXPECT_EQ(sent_by_ranks(OpKind::all_reduce),
            std::vector<std::uint64_t>(kWireRanks, 2 * (kWireRanks - 1) * kWireBytes / kWireRanks));
}

TEST(WireBytes, OfBlocksAreOneForEachOtherRank) {
  for (const auto kind : {OpKind::all_gather, OpKind::reduce_scatter, OpKind::all_to_all})
    EXPECT_EQ(sent_by_ranks(kind),
              std::vector<std::uint64_t>(kWireRanks, (kWireRanks - 1) * kWireBytes))
        << name_of(kind);
}

TEST(WireBytes, OfARootedCallReachEachOtherRankOnce) {
  for (const auto kind : {OpKind::broadcast, OpKind::reduce, OpKind::gather, OpKind::scatter})
    EXPECT_EQ(sent_by_all(kind), (kWireRanks - 1) * kWireBytes) << name_of(kind);

  EXPECT_EQ(sent_by_ranks(OpKind::gather)[kWireRoot], 0u);
  EXPECT_EQ(sent_by_ranks(OpKind::scatter)[kWireRoot], (kWireRanks - 1) * kWireBytes);
}

TEST(WireBytes, OfUnequalBlocksLeaveOutTheRanksOwn) {
  const std::vector<Range> ranges{{0, 3}, {3, 0}, {3, 7}};
  const Op op{.kind = OpKind::all_to_all_v, .type = DataType::float64, .send_ranges = ranges};

  EXPECT_EQ(wire_bytes(op, 0, 3), 8u * 7);
  EXPECT_EQ(wire_bytes(op, 1, 3), 8u * 10);
  EXPECT_EQ(wire_bytes(op, 2, 3), 8u * 3);
}

TEST(WireBytes, BetweenTwoRanksAreTheSenders) {
  const auto of = [](OpKind kind) { return sent_by_ranks(kind)[0]; };

  EXPECT_EQ(of(OpKind::send), kWireBytes);
  EXPECT_EQ(of(OpKind::send_recv), kWireBytes);
  EXPECT_EQ(of(OpKind::recv), 0u);
}

TEST(WireBytes, OfOneRankAreNone) {
  for (const auto kind : {OpKind::all_reduce, OpKind::all_gather, OpKind::reduce_scatter,
                          OpKind::broadcast, OpKind::reduce, OpKind::all_to_all, OpKind::scatter})
    EXPECT_EQ(wire_bytes({.kind = kind, .count = kWireCount, .peer = 0}, 0, 1), 0u)
        << name_of(kind);
}

}  // namespace
}  // namespace linerate
