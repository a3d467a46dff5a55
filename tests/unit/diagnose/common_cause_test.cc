// Slow ranks, nodes and links are told apart by which pairs are slow.
#include "diagnose/common_cause.h"

#include "bench/pairs.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace linerate {
namespace {

using Slowdown = std::function<double(int from, int to)>;

// Each pair that is asked among ranks of nodes of `per_node`, one way.
std::vector<PairSlowdown> one_way(int nranks, const Slowdown& slowdown) {
  std::vector<PairSlowdown> tests;
  for (const auto& pair : pairs_to_time(nranks))
    tests.push_back({.pair = pair, .one_way = true, .slowdown = slowdown(pair.first, pair.second)});
  return tests;
}

std::vector<PairSlowdown> both_ways(int nranks, const Slowdown& slowdown) {
  std::vector<PairSlowdown> tests;
  for (const auto& [a, b] : pairs_to_time(nranks))
    if (a < b) tests.push_back({.pair = {a, b}, .slowdown = slowdown(a, b)});
  return tests;
}

std::vector<int> nodes_of_size(int nranks, int per_node) {
  std::vector<int> nodes;
  for (int rank = 0; rank < nranks; ++rank) nodes.push_back(rank / per_node);
  return nodes;
}

std::vector<std::string> subjects(const std::vector<CommonCause>& suspects) {
  std::vector<std::string> names;
  for (const auto& suspect : suspects) names.push_back(suspect.subject);
  return names;
}

using Names = std::vector<std::string>;

TEST(Suspects, AreNoneWhereAllPairsAreWithinNoise) {
  const auto tests = one_way(4, [](int from, int to) { return 1 + 0.02 * (from + to); });

  EXPECT_TRUE(common_causes(tests, nodes_of_size(4, 1)).empty());
}

TEST(Suspects, ARankIsMeantWhereAllItsPairsAreSlow) {
  for (const int nranks : {3, 8, 40}) {
    const auto tests =
        one_way(nranks, [](int from, int to) { return from == 2 || to == 2 ? 4 : 1; });

    for (const int per_node : {1, nranks}) {
      const auto found = common_causes(tests, nodes_of_size(nranks, per_node));

      ASSERT_EQ(subjects(found), Names{"rank 2"}) << nranks << " ranks";
      EXPECT_DOUBLE_EQ(found[0].reached, 0.25);
    }
  }
}

TEST(Suspects, TwoSlowRanksAreBothNamed) {
  const auto tests = one_way(8, [](int from, int to) {
    return from == 1 || to == 1 ? 4.0 : from == 6 || to == 6 ? 2.0 : 1.0;
  });

  EXPECT_EQ(subjects(common_causes(tests, nodes_of_size(8, 8))), (Names{"rank 1", "rank 6"}));
}

TEST(Suspects, ALinkIsMeantWhereOnlyItsOwnPairIsSlow) {
  const auto between = one_way(4, [](int from, int to) { return from + to == 1 ? 2 : 1; });
  const auto one = one_way(4, [](int from, int to) { return from == 2 && to == 1 ? 2 : 1; });

  EXPECT_EQ(subjects(common_causes(between, nodes_of_size(4, 4))),
            Names{"the link between rank 0 and rank 1"});
  EXPECT_EQ(subjects(common_causes(one, nodes_of_size(4, 4))),
            Names{"the link from rank 2 to rank 1"});
  EXPECT_EQ(subjects(common_causes(one, nodes_of_size(4, 1))),
            Names{"the link from node 2 to node 1"});
}

TEST(Suspects, ANodesTwoDirectionsAreToldApart) {
  const auto sends = [](int from, int to) { return from / 2 == 3 && to / 2 != 3 ? 3 : 1; };
  const auto receives = [&](int from, int to) { return sends(to, from); };
  const auto within = [](int from, int to) { return from / 2 == 1 && to / 2 == 1 ? 3 : 1; };
  for (const int nranks : {8, 24}) {
    const auto nodes = nodes_of_size(nranks, 2);

    EXPECT_EQ(subjects(common_causes(one_way(nranks, sends), nodes)),
              Names{"what node 3 sends to others"});
    EXPECT_EQ(subjects(common_causes(one_way(nranks, receives), nodes)),
              Names{"what node 3 receives from others"});
  }
  EXPECT_EQ(subjects(common_causes(one_way(8, within), nodes_of_size(8, 2))),
            Names{"the link between rank 2 and rank 3"});
  EXPECT_EQ(subjects(common_causes(
                one_way(12, [](int from, int to) { return from / 3 == 1 && to / 3 == 1 ? 3 : 1; }),
                nodes_of_size(12, 3))),
            Names{"the inside of node 1"});
}

// With rails the second rank of a node has a NIC of its own.
TEST(Suspects, ARailIsNamedByTheRankThatUsesIt) {
  const auto tests = one_way(8, [](int from, int to) { return from == 5 && to / 2 != 2 ? 3 : 1; });

  EXPECT_EQ(subjects(common_causes(tests, nodes_of_size(8, 2))),
            Names{"what rank 5 sends to other nodes"});
}

TEST(Suspects, RacksAreNamedByTheirNodes) {
  const auto up = one_way(8, [](int from, int to) { return from < 4 && to >= 4 ? 3 : 1; });
  const auto spine = one_way(8, [](int from, int to) { return from / 4 != to / 4 ? 3 : 1; });

  EXPECT_EQ(subjects(common_causes(up, nodes_of_size(8, 2))),
            Names{"the way from nodes 0, 1 to nodes 2, 3"});
  EXPECT_EQ(subjects(common_causes(spine, nodes_of_size(8, 2))),
            Names{"the way between nodes 0, 1 and nodes 2, 3"});
}

// Latency of half a round trip does not tell the direction.
TEST(Suspects, ComeFromRoundTripsWhereOneWayTestsShowNothing) {
  auto tests = one_way(4, [](int, int) { return 1.0; });
  const auto trips = both_ways(4, [](int a, int b) { return a == 3 || b == 3 ? 8 : 1; });
  tests.insert(tests.end(), trips.begin(), trips.end());

  EXPECT_EQ(subjects(common_causes(tests, nodes_of_size(4, 4))), Names{"rank 3"});
}

TEST(Suspects, MustBeAsSlowAsTheCallerSays) {
  const auto tests = one_way(4, [](int from, int to) { return from == 3 || to == 3 ? 1.8 : 1; });

  EXPECT_EQ(common_causes(tests, nodes_of_size(4, 4), 2).size(), 0u);
  EXPECT_EQ(common_causes(tests, nodes_of_size(4, 4), 1.5).size(), 1u);
}

// Each pair with each link that may be slow would be some 10^10 comparisons.
TEST(Suspects, AreFoundAmongAllPairsOf256Ranks) {
  constexpr int kRanks = 256;
  std::vector<PairSlowdown> tests;
  for (int a = 0; a < kRanks; ++a)
    for (int b = 0; b < kRanks; ++b) {
      const bool slow = a / 128 != b / 128 || a == 7 || b == 7;
      if (a != b) tests.push_back({.pair = {a, b}, .one_way = true, .slowdown = slow ? 2.0 : 1.0});
    }

  const auto found = common_causes(tests, nodes_of_size(kRanks, 64));

  EXPECT_EQ(subjects(found), (Names{"the way between nodes 2, 3 and nodes 0, 1", "rank 7"}));
}

}  // namespace
}  // namespace linerate
