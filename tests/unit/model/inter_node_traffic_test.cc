// The least that each collective sends between nodes, in closed forms.
#include "model/inter_node_traffic.h"

#include <gtest/gtest.h>

#include <numeric>

namespace linerate {
namespace {

constexpr std::size_t kCount = 120;  // of the count column
using Counts = std::vector<std::size_t>;

// `per_node` ranks on each of `nnodes` nodes.
InterNodeTraffic traffic(std::string_view name, int nnodes, int per_node = 1) {
  std::vector<int> nodes;
  for (int rank = 0; rank < nnodes * per_node; ++rank) nodes.push_back(rank / per_node);
  return inter_node_traffic({.collective = find_collective(name),
                             .sizing = {.count = kCount, .nranks = nnodes * per_node}},
                            nodes);
}

TEST(InterNodeTraffic, OfAllReduceIsTheBusFactorOfTheNodes) {
  for (const int per_node : {1, 3}) {
    EXPECT_EQ(traffic("all_reduce", 4, per_node), (InterNodeTraffic{.sent = Counts(4, kCount),
                                                                    .received = Counts(4, kCount),
                                                                    .total = 2 * 3 * kCount,
                                                                    .every_rank_waits = true,
                                                                    .relayed = true}));
  }
}

TEST(InterNodeTraffic, OfReductionsEndsWhereItIsNeeded) {
  EXPECT_EQ(traffic("reduce", 3), (InterNodeTraffic{.sent = {0, kCount, kCount},
                                                    .received = {kCount, 0, 0},
                                                    .total = 2 * kCount,
                                                    .relayed = true}));
  // Each of 6 ranks keeps 120 elements of the sum, those of 2 ranks on each node.
  EXPECT_EQ(traffic("reduce_scatter", 3, 2), (InterNodeTraffic{.sent = Counts(3, 4 * kCount),
                                                               .received = Counts(3, 2 * kCount),
                                                               .total = 2 * 6 * kCount,
                                                               .every_rank_waits = true,
                                                               .relayed = true}));
}

TEST(InterNodeTraffic, OfCopiesEntersANodeOnce) {
  EXPECT_EQ(traffic("broadcast", 3, 2), (InterNodeTraffic{.sent = {kCount, 0, 0},
                                                          .received = {0, kCount, kCount},
                                                          .total = 2 * kCount,
                                                          .relayed = true}));
  EXPECT_EQ(traffic("all_gather", 3, 2), (InterNodeTraffic{.sent = Counts(3, 2 * kCount),
                                                           .received = Counts(3, 4 * kCount),
                                                           .total = 3 * 4 * kCount,
                                                           .every_rank_waits = true,
                                                           .relayed = true}));
}

TEST(InterNodeTraffic, OfPartsOfTheirOwnIsAllThatGoesElsewhere) {
  EXPECT_EQ(traffic("all_to_all", 2, 2), (InterNodeTraffic{.sent = Counts(2, 4 * kCount),
                                                           .received = Counts(2, 4 * kCount),
                                                           .total = 8 * kCount,
                                                           .every_rank_waits = true}));
  EXPECT_EQ(traffic("gather", 3),
            (InterNodeTraffic{
                .sent = {0, kCount, kCount}, .received = {2 * kCount, 0, 0}, .total = 2 * kCount}));
  EXPECT_EQ(traffic("scatter", 3),
            (InterNodeTraffic{
                .sent = {2 * kCount, 0, 0}, .received = {0, kCount, kCount}, .total = 2 * kCount}));
}

// A ring crosses a node's edge once each way, however many ranks it has inside.
TEST(InterNodeTraffic, OfSendrecvIsOneRanksOfEachNode) {
  EXPECT_EQ(traffic("sendrecv", 2, 3),
            (InterNodeTraffic{
                .sent = Counts(2, kCount), .received = Counts(2, kCount), .total = 2 * kCount}));
}

TEST(InterNodeTraffic, WithinANodeIsNothing) {
  EXPECT_EQ(traffic("all_reduce", 1, 4), (InterNodeTraffic{.sent = {0}, .received = {0}}));
}

}  // namespace
}  // namespace linerate
