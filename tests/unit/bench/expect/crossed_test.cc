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
  for (const int per_node : {1, 3})
    EXPECT_EQ(
        crossed("all_reduce", 4, per_node),
        (Crossed{Counts(4, kCount), Counts(4, kCount), 2 * 3 * kCount, 4 * per_node, true, true}));
}

TEST(DataCrossed, ByReductionsEndsWhereItIsNeeded) {
  EXPECT_EQ(crossed("reduce", 3),
            (Crossed{{0, kCount, kCount}, {kCount, 0, 0}, 2 * kCount, 1, false, true}));
  // Each of 6 ranks keeps 120 elements of the sum, those of 2 ranks on each node.
  EXPECT_EQ(crossed("reduce_scatter", 3, 2), (Crossed{Counts(3, 4 * kCount), Counts(3, 2 * kCount),
                                                      2 * 6 * kCount, 6, true, true, true}));
}

TEST(DataCrossed, ByCopiesEntersANodeOnce) {
  EXPECT_EQ(crossed("broadcast", 3, 2),
            (Crossed{{kCount, 0, 0}, {0, kCount, kCount}, 2 * kCount, 4, false, true}));
  EXPECT_EQ(crossed("all_gather", 3, 2),
            (Crossed{Counts(3, 2 * kCount), Counts(3, 4 * kCount), 3 * 4 * kCount, 6, true, true}));
}

TEST(DataCrossed, ByPartsOfTheirOwnIsAllThatGoesElsewhere) {
  EXPECT_EQ(crossed("all_to_all", 2, 2), (Crossed{Counts(2, 4 * kCount), Counts(2, 4 * kCount),
                                                  8 * kCount, 4, true, false, true}));
  EXPECT_EQ(crossed("gather", 3),
            (Crossed{{0, kCount, kCount}, {2 * kCount, 0, 0}, 2 * kCount, 1}));
  EXPECT_EQ(crossed("scatter", 3),
            (Crossed{{2 * kCount, 0, 0}, {0, kCount, kCount}, 2 * kCount, 2, false, false, true}));
}

// A ring crosses a node's edge once each way, however many ranks it has inside.
TEST(DataCrossed, BySendrecvIsOneRanksOfEachNode) {
  EXPECT_EQ(crossed("sendrecv", 2, 3),
            (Crossed{Counts(2, kCount), Counts(2, kCount), 2 * kCount, 2}));
}

TEST(DataCrossed, WithinANodeIsNothing) {
  EXPECT_EQ(crossed("all_reduce", 1, 4), (Crossed{{0}, {0}, 0, 0}));
}

}  // namespace
}  // namespace linerate
