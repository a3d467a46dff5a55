// Tests of op.h: how long a call's buffers must be.
#include "comm/op.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate {
namespace {

// Bytes of send and recv that 10 floats need on rank `rank` of 4; the root is rank 2.
std::pair<std::size_t, std::size_t> bytes_of_call(OpKind kind, int rank) {
  const auto extent = extent_of({.kind = kind, .count = 10, .peer = 2}, rank, 4);
  return {extent.send, extent.recv};
}

TEST(Extent, HoldsNranksBlocksWhereACallGathersOrScattersThem) {
  using Pair = std::pair<std::size_t, std::size_t>;

  EXPECT_EQ(bytes_of_call(OpKind::all_reduce, 0), Pair(40, 40));
  EXPECT_EQ(bytes_of_call(OpKind::all_gather, 0), Pair(40, 160));
  EXPECT_EQ(bytes_of_call(OpKind::reduce_scatter, 0), Pair(160, 40));
  EXPECT_EQ(bytes_of_call(OpKind::all_to_all, 0), Pair(160, 160));
  EXPECT_EQ(bytes_of_call(OpKind::send_recv, 0), Pair(40, 40));
}

TEST(Extent, HoldsOnTheRootOnlyWhatTheRootAloneUses) {
  using Pair = std::pair<std::size_t, std::size_t>;

  EXPECT_EQ(bytes_of_call(OpKind::broadcast, 2), Pair(40, 40));
  EXPECT_EQ(bytes_of_call(OpKind::broadcast, 1), Pair(0, 40));
  EXPECT_EQ(bytes_of_call(OpKind::reduce, 2), Pair(40, 40));
  EXPECT_EQ(bytes_of_call(OpKind::reduce, 1), Pair(40, 0));
  EXPECT_EQ(bytes_of_call(OpKind::gather, 2), Pair(40, 160));
  EXPECT_EQ(bytes_of_call(OpKind::gather, 1), Pair(40, 0));
  EXPECT_EQ(bytes_of_call(OpKind::scatter, 2), Pair(160, 40));
  EXPECT_EQ(bytes_of_call(OpKind::scatter, 1), Pair(0, 40));
}

TEST(Extent, OfAMessageHasOneSide) {
  using Pair = std::pair<std::size_t, std::size_t>;

  EXPECT_EQ(bytes_of_call(OpKind::send, 0), Pair(40, 0));
  EXPECT_EQ(bytes_of_call(OpKind::recv, 0), Pair(0, 40));
}

TEST(Extent, OfRangesReachesTheFarthestOneThatIsNotEmpty) {
  const std::vector<Range> send{{5, 2}, {0, 3}};
  const std::vector<Range> recv{{1, 1}, {100, 0}};

  const auto extent = extent_of({.kind = OpKind::all_to_all_v,
                                 .type = DataType::float64,
                                 .send_ranges = send,
                                 .recv_ranges = recv},
                                0, 2);

  EXPECT_EQ(extent.send, 7u * 8);
  EXPECT_EQ(extent.recv, 2u * 8);
  EXPECT_EQ(end_of({}), 0u);
}

TEST(Extent, IsTheLeastThatTheBuffersMustHold) {
  std::vector<std::byte> send(40), recv(160);
  Op op{.kind = OpKind::all_gather, .send = send, .recv = recv, .count = 10};

  EXPECT_TRUE(has_its_extent(op, 0, 4));
  op.recv = View(recv).first(159);
  EXPECT_FALSE(has_its_extent(op, 0, 4));
}

}  // namespace
}  // namespace linerate
