// What collectives must move through memory and between nodes, and the intervals it is counted in.
#include "model/traffic.h"

#include <gtest/gtest.h>

#include <numeric>

namespace linerate {
namespace {

constexpr std::size_t kCount = 100;  // of the count column

MemoryTraffic traffic(std::string_view name, int nranks,
                      Placement placement = Placement::out_of_place, int root = 0) {
  MemoryTraffic all;
  for (const auto& of_rank : memory_traffic({.collective = find_collective(name),
                             .root = root,
                             .placement = placement,
                             .sizing = {.count = kCount, .nranks = nranks}}))
    all += of_rank;
  return all;
}

TEST(MemoryTraffic, OfReductionsIsEveryInputAndEveryResult) {
  EXPECT_EQ(traffic("all_reduce", 4), (MemoryTraffic{4 * kCount, 4 * kCount}));
  EXPECT_EQ(traffic("reduce", 4), (MemoryTraffic{4 * kCount, kCount}));
  // 100 elements a rank of a result that is spread over 4 ranks.
  EXPECT_EQ(traffic("reduce_scatter", 4), (MemoryTraffic{16 * kCount, 4 * kCount}));
}

TEST(MemoryTraffic, OfReductionsIsNoLessInPlace) {
  for (const auto* name : {"all_reduce", "reduce", "reduce_scatter"}) {
    const auto in_place = traffic(name, 3, Placement::in_place), other = traffic(name, 3);
    EXPECT_EQ(in_place.read, other.read) << name;
    EXPECT_EQ(in_place.written, other.written) << name;
  }
}

// Results of reductions lie over inputs of the same rank, which are part of them.
TEST(MemoryTraffic, OfReductionsInPlaceIsUpdated) {
  for (const auto* name : {"all_reduce", "reduce", "reduce_scatter"}) {
    const auto in_place = traffic(name, 3, Placement::in_place);
    EXPECT_EQ(in_place.updated, in_place.written) << name;
    EXPECT_EQ(in_place.exchanged, 0U) << name;
    EXPECT_EQ(traffic(name, 3).updated, 0U) << name;
  }
}

// Other ranks' parts come to where nothing lay that anybody needs.
TEST(MemoryTraffic, OfCopiesInPlaceOverwritesNothing) {
  for (const auto* name : {"all_gather", "broadcast", "gather", "scatter"}) {
    const auto in_place = traffic(name, 4, Placement::in_place);
    EXPECT_EQ(in_place.updated, 0U) << name;
    EXPECT_EQ(in_place.exchanged, 0U) << name;
    EXPECT_GT(in_place.written, 0U) << name;
  }
}

TEST(MemoryTraffic, InPlaceIsTheSameForEachRoot) {
  for (const auto* name : {"reduce", "broadcast", "gather", "scatter"})
    for (const int root : {1, 3})
      EXPECT_EQ(traffic(name, 4, Placement::in_place, root), traffic(name, 4, Placement::in_place))
          << name << root;
}

TEST(MemoryTraffic, OfHypercubesInPlaceIsThatOfGathering) {
  EXPECT_EQ(traffic("hypercube", 4, Placement::in_place),
            traffic("all_gather", 4, Placement::in_place));
}

// What a rank gets lies where it held what another one must get.
TEST(MemoryTraffic, OfExchangesInPlaceMustBeReadBefore) {
  const auto all_to_all = traffic("all_to_all", 4, Placement::in_place);
  EXPECT_EQ(all_to_all, (MemoryTraffic{12 * kCount, 12 * kCount, 12 * kCount, 12 * kCount}));
  const auto sendrecv = traffic("sendrecv", 4, Placement::in_place);
  EXPECT_EQ(sendrecv, (MemoryTraffic{4 * kCount, 4 * kCount, 4 * kCount, 4 * kCount}));
}

// An input that several ranks get is read once: it stays in a cache.
TEST(MemoryTraffic, OfCopiesIsReadOnce) {
  EXPECT_EQ(traffic("all_gather", 4), (MemoryTraffic{4 * kCount, 16 * kCount}));
  EXPECT_EQ(traffic("broadcast", 4), (MemoryTraffic{kCount, 4 * kCount}));
  EXPECT_EQ(traffic("all_to_all", 4), (MemoryTraffic{16 * kCount, 16 * kCount}));
  EXPECT_EQ(traffic("gather", 4), (MemoryTraffic{4 * kCount, 4 * kCount}));
  EXPECT_EQ(traffic("scatter", 4), (MemoryTraffic{4 * kCount, 4 * kCount}));
  EXPECT_EQ(traffic("sendrecv", 4), (MemoryTraffic{4 * kCount, 4 * kCount}));
}

TEST(MemoryTraffic, InPlaceLeavesOutWhatLiesThereAlready) {
  EXPECT_EQ(traffic("all_gather", 4, Placement::in_place),
            (MemoryTraffic{4 * kCount, 12 * kCount}));
  EXPECT_EQ(traffic("broadcast", 4, Placement::in_place), (MemoryTraffic{kCount, 3 * kCount}));
  EXPECT_EQ(traffic("scatter", 4, Placement::in_place), (MemoryTraffic{3 * kCount, 3 * kCount}));
}

TEST(MemoryTraffic, OfOneRankAloneIsItsCopy) {
  EXPECT_EQ(traffic("all_reduce", 1), (MemoryTraffic{kCount, kCount}));
  EXPECT_EQ(traffic("broadcast", 1, Placement::in_place), (MemoryTraffic{0, 0}));
}

constexpr std::size_t kRowCount = 120;  // of the count column
using Counts = std::vector<std::size_t>;

// `per_node` ranks on each of `nnodes` nodes.
InterNodeTraffic between_nodes(std::string_view name, int nnodes, int per_node = 1) {
  std::vector<int> nodes;
  for (int rank = 0; rank < nnodes * per_node; ++rank) nodes.push_back(rank / per_node);
  return inter_node_traffic({.collective = find_collective(name),
                             .sizing = {.count = kRowCount, .nranks = nnodes * per_node}},
                            nodes);
}

TEST(InterNodeTraffic, OfAllReduceIsTheBusFactorOfTheNodes) {
  for (const int per_node : {1, 3}) {
    EXPECT_EQ(between_nodes("all_reduce", 4, per_node),
              (InterNodeTraffic{.sent = Counts(4, kRowCount),
                                .received = Counts(4, kRowCount),
                                .total = 2 * 3 * kRowCount,
                                .every_rank_waits = true,
                                .relayed = true}));
  }
}

TEST(InterNodeTraffic, OfReductionsEndsWhereItIsNeeded) {
  EXPECT_EQ(between_nodes("reduce", 3), (InterNodeTraffic{.sent = {0, kRowCount, kRowCount},
                                                          .received = {kRowCount, 0, 0},
                                                          .total = 2 * kRowCount,
                                                          .relayed = true}));
  // Each of 6 ranks keeps 120 elements of the sum, those of 2 ranks on each node.
  EXPECT_EQ(between_nodes("reduce_scatter", 3, 2),
            (InterNodeTraffic{.sent = Counts(3, 4 * kRowCount),
                              .received = Counts(3, 2 * kRowCount),
                              .total = 2 * 6 * kRowCount,
                              .every_rank_waits = true,
                              .relayed = true}));
}

TEST(InterNodeTraffic, OfCopiesEntersANodeOnce) {
  EXPECT_EQ(between_nodes("broadcast", 3, 2),
            (InterNodeTraffic{.sent = {kRowCount, 0, 0},
                              .received = {0, kRowCount, kRowCount},
                              .total = 2 * kRowCount,
                              .relayed = true}));
  EXPECT_EQ(between_nodes("all_gather", 3, 2),
            (InterNodeTraffic{.sent = Counts(3, 2 * kRowCount),
                              .received = Counts(3, 4 * kRowCount),
                              .total = 3 * 4 * kRowCount,
                              .every_rank_waits = true,
                              .relayed = true}));
}

TEST(InterNodeTraffic, OfPartsOfTheirOwnIsAllThatGoesElsewhere) {
  EXPECT_EQ(between_nodes("all_to_all", 2, 2),
            (InterNodeTraffic{.sent = Counts(2, 4 * kRowCount),
                              .received = Counts(2, 4 * kRowCount),
                              .total = 8 * kRowCount,
                              .every_rank_waits = true}));
  EXPECT_EQ(between_nodes("gather", 3), (InterNodeTraffic{.sent = {0, kRowCount, kRowCount},
                                                          .received = {2 * kRowCount, 0, 0},
                                                          .total = 2 * kRowCount}));
  EXPECT_EQ(between_nodes("scatter", 3), (InterNodeTraffic{.sent = {2 * kRowCount, 0, 0},
                                                           .received = {0, kRowCount, kRowCount},
                                                           .total = 2 * kRowCount}));
}

// A ring crosses a node's edge once each way, however many ranks it has inside.
TEST(InterNodeTraffic, OfSendrecvIsOneRanksOfEachNode) {
  EXPECT_EQ(between_nodes("sendrecv", 2, 3), (InterNodeTraffic{.sent = Counts(2, kRowCount),
                                                               .received = Counts(2, kRowCount),
                                                               .total = 2 * kRowCount}));
}

TEST(InterNodeTraffic, WithinANodeIsNothing) {
  EXPECT_EQ(between_nodes("all_reduce", 1, 4), (InterNodeTraffic{.sent = {0}, .received = {0}}));
}

using Intervals = std::vector<Interval>;

TEST(Intervals, ThatTouchOrOverlapBecomeOne) {
  Intervals some{{8, 9}, {0, 4}, {4, 6}, {5, 7}};

  merge(some);

  EXPECT_EQ(some, (Intervals{{0, 7}, {8, 9}}));
  EXPECT_EQ(covered({{8, 9}, {0, 4}, {3, 6}}), 7U);
}

TEST(Intervals, HaveInCommonWhatLiesInBoth) {
  const Intervals some{{0, 10}, {20, 30}}, others{{5, 8}, {9, 22}, {29, 40}};

  EXPECT_EQ(covered_by_both(some, others), 3U + 1U + 2U + 1U);
  EXPECT_EQ(covered_by_both(others, some), covered_by_both(some, others));
}

TEST(Intervals, HaveNothingInCommonWhereTheyOnlyTouch) {
  EXPECT_EQ(covered_by_both({{0, 4}}, {{4, 8}}), 0U);
  EXPECT_EQ(covered_by_both({}, {{4, 8}}), 0U);
}

}  // namespace

}  // namespace linerate
