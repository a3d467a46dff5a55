// Which nodes meet, and that distance alone makes none of them slow.
#include "bench/expect/probed_rounds.h"

#include "bench/expect/network_limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>

namespace linerate {
namespace {

constexpr int kRack = 8;

bool in_one_rack(const Pair& pair) { return pair.first / kRack == pair.second / kRack; }

// 10 GB/s, a quarter between racks where most are on that way; what `slow` sends, a tenth of
// either.
std::vector<NodePair> pairs_in_racks(int nnodes, int slow = -1) {
  std::vector<NodePair> pairs;
  for (const auto& round : probed_rounds(nnodes)) {
    const auto inside = static_cast<std::size_t>(std::ranges::count_if(round, in_one_rack));
    const double outside_gbps = 2 * inside < round.size() ? 2.5 : 10;
    for (const auto& pair : round) {
      const double gbps = in_one_rack(pair) ? 10 : outside_gbps;
      pairs.push_back({.first = pair.first,
                       .second = pair.second,
                       .speed = {.round_trip_us = 20,
                                 .out_gbps = pair.first == slow ? gbps / 10 : gbps,
                                 .in_gbps = pair.second == slow ? gbps / 10 : gbps}});
    }
  }
  return pairs;
}

TEST(ProbedRounds, AreUpToThreeOfDisjointPairs) {
  for (const int nnodes : {3, 4, 5, 6, 7, 100, 101}) {
    const auto rounds = probed_rounds(nnodes);
    std::set<Pair> seen;
    std::vector<int> met(static_cast<std::size_t>(nnodes));
    for (const auto& round : rounds) {
      std::set<int> busy;
      for (const auto& [first, second] : round) {
        EXPECT_LT(first, second);
        EXPECT_TRUE(seen.insert({first, second}).second) << nnodes;
        for (const int node : {first, second}) {
          EXPECT_TRUE(busy.insert(node).second) << nnodes;
          ++met.at(static_cast<std::size_t>(node));
        }
      }
    }

    EXPECT_LE(rounds.size(), 3U);
    for (const int times : met) EXPECT_GE(times, 2) << nnodes;
  }
}

TEST(ProbedRounds, OfTwoNodesAreTwoOfTheSamePair) {
  const auto rounds = probed_rounds(2);

  ASSERT_EQ(rounds.size(), 2U);
  for (const auto& round : rounds) EXPECT_EQ(round, (Round{{0, 1}}));
}

TEST(ProbedRounds, LetEachNodeMeetOneOfItsRackAndAllMeetOthersAtOnce) {
  constexpr int kNodes = 25 * kRack;
  const auto rounds = probed_rounds(kNodes);

  std::set<int> met_one_of_their_rack;
  for (const auto& round : rounds)
    for (const auto& pair : round)
      if (in_one_rack(pair)) met_one_of_their_rack.insert({pair.first, pair.second});

  EXPECT_EQ(met_one_of_their_rack.size(), static_cast<std::size_t>(kNodes));
  EXPECT_EQ(rounds.back().size(), static_cast<std::size_t>(kNodes / 2));
  EXPECT_TRUE(std::ranges::none_of(rounds.back(), in_one_rack));
}

TEST(ProbedRounds, FindTheSpeedOfANodesOwnLinkWhereRacksShareLess) {
  const auto points = points_of(pairs_in_racks(5 * kRack), 5 * kRack);

  for (const auto& point : points) {
    EXPECT_DOUBLE_EQ(point.send_gbps, 10) << point.node;
    EXPECT_DOUBLE_EQ(point.receive_gbps, 10) << point.node;
  }
}

TEST(ProbedRounds, ShowNoNodeSlowForTheWayBetweenRacks) {
  constexpr int kNodes = 5 * kRack;

  EXPECT_TRUE(slow_nodes(pairs_in_racks(kNodes), kNodes).empty());
  const auto suspects = slow_nodes(pairs_in_racks(kNodes, 3), kNodes);

  ASSERT_EQ(suspects.size(), 1U);
  EXPECT_EQ(suspects.front().subject, "what node 3 sends to others");
}

}  // namespace
}  // namespace linerate
