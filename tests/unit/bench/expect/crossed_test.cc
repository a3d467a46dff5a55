// The least that each collective sends between nodes, in closed forms.
#include "bench/expect/crossed.h"

#include <gtest/gtest.h>

#include <numeric>

namespace linerate {
namespace {

constexpr std::size_t kCount = 120;  // of the count column
using Counts = std::vector<std::size_t>;

// `per_node` ranks on each of `nnodes` nodes.
Crossed crossed(std::string_view name, int nnodes, int per_node = 1) {
  std::vector<int> nodes;
  for (int rank = 0; rank < nnodes * per_node; ++rank) nodes.push_back(rank / per_node);
  return crossed_by(*find_collective(name), {.count = kCount, .nranks = nnodes * per_node}, 0,
                    nodes);
}

TEST(DataCrossed, ByAllReduceIsTheBusFactorOfTheNodes) {
  for (const int per_node : {1, 3}) {
    const Counts needs(static_cast<std::size_t>(4 * per_node), kCount);
    EXPECT_EQ(crossed("all_reduce", 4, per_node), (Crossed{.sent = Counts(4, kCount),
                                                           .received = Counts(4, kCount),
                                                           .total = 2 * 3 * kCount,
                                                           .needs = needs,
                                                           .in_step = true,
                                                           .shared = true}));
  }
}

TEST(DataCrossed, ByReductionsEndsWhereItIsNeeded) {
  EXPECT_EQ(crossed("reduce", 3), (Crossed{.sent = {0, kCount, kCount},
                                           .received = {kCount, 0, 0},
                                           .total = 2 * kCount,
                                           .needs = {kCount, 0, 0},
                                           .shared = true}));
  // Each of 6 ranks keeps 120 elements of the sum, those of 2 ranks on each node.
  EXPECT_EQ(crossed("reduce_scatter", 3, 2), (Crossed{.sent = Counts(3, 4 * kCount),
                                                      .received = Counts(3, 2 * kCount),
                                                      .total = 2 * 6 * kCount,
                                                      .needs = Counts(6, kCount),
                                                      .in_step = true,
                                                      .shared = true}));
}

TEST(DataCrossed, ByCopiesEntersANodeOnce) {
  EXPECT_EQ(crossed("broadcast", 3, 2), (Crossed{.sent = {kCount, 0, 0},
                                                 .received = {0, kCount, kCount},
                                                 .total = 2 * kCount,
                                                 .needs = {0, 0, kCount, kCount, kCount, kCount},
                                                 .shared = true}));
  EXPECT_EQ(crossed("all_gather", 3, 2), (Crossed{.sent = Counts(3, 2 * kCount),
                                                  .received = Counts(3, 4 * kCount),
                                                  .total = 3 * 4 * kCount,
                                                  .needs = Counts(6, 4 * kCount),
                                                  .in_step = true,
                                                  .shared = true}));
}

TEST(DataCrossed, ByPartsOfTheirOwnIsAllThatGoesElsewhere) {
  EXPECT_EQ(crossed("all_to_all", 2, 2), (Crossed{.sent = Counts(2, 4 * kCount),
                                                  .received = Counts(2, 4 * kCount),
                                                  .total = 8 * kCount,
                                                  .needs = Counts(4, 2 * kCount),
                                                  .in_step = true}));
  EXPECT_EQ(crossed("gather", 3), (Crossed{.sent = {0, kCount, kCount},
                                           .received = {2 * kCount, 0, 0},
                                           .total = 2 * kCount,
                                           .needs = {2 * kCount, 0, 0}}));
  EXPECT_EQ(crossed("scatter", 3), (Crossed{.sent = {2 * kCount, 0, 0},
                                            .received = {0, kCount, kCount},
                                            .total = 2 * kCount,
                                            .needs = {0, kCount, kCount}}));
}

// A ring crosses a node's edge once each way, however many ranks it has inside.
TEST(DataCrossed, BySendrecvIsOneRanksOfEachNode) {
  EXPECT_EQ(crossed("sendrecv", 2, 3), (Crossed{.sent = Counts(2, kCount),
                                                .received = Counts(2, kCount),
                                                .total = 2 * kCount,
                                                .needs = {kCount, 0, 0, kCount, 0, 0}}));
}

TEST(DataCrossed, WithinANodeIsNothing) {
  EXPECT_EQ(crossed("all_reduce", 1, 4), (Crossed{.sent = {0}, .received = {0}}));
}

}  // namespace
}  // namespace linerate
