// Which pairs are measured at once.
#include "layouts.h"

#include <gtest/gtest.h>

#include <set>

namespace linerate::pairs {
namespace {

TEST(PairLayout, CountsTheRanksOfANodeAsRails) {
  const std::vector<int> nodes{0, 1, 0, 1, 1};

  const auto layout = layout_of(nodes);

  EXPECT_FALSE(layout.one_host);
  EXPECT_EQ(layout.nnodes(), 2);
  EXPECT_EQ(layout.nrails(), 3);
  EXPECT_EQ(layout.of_node(1), (std::vector<int>{1, 3, 4}));
  EXPECT_EQ(layout.place(4).node, 1);
  EXPECT_EQ(layout.place(4).rail, 2);
}

TEST(PairLayout, HasANodeForEachRankOfOneHost) {
  const std::vector<int> nodes{0, 0, 0};

  const auto layout = layout_of(nodes);

  EXPECT_TRUE(layout.one_host);
  EXPECT_EQ(layout.nnodes(), 3);
  EXPECT_EQ(layout.nrails(), 1);
}

class Matchings : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(Matchings, PairRanksOfOneRailAndEachOnce) {
  const auto [nnodes, nrails] = GetParam();
  const auto layout = nodes_of(nnodes, nrails);
  SplitMix random(1);
  std::set<Pair> seen;

  const auto rounds = matchings(layout, 4, random);

  ASSERT_EQ(rounds.size(), 4u);
  for (const auto& round : rounds) {
    std::set<int> busy;
    EXPECT_EQ(round.size(), static_cast<std::size_t>(nnodes / 2 * nrails));
    for (const auto& [a, b] : round) {
      EXPECT_LT(a, b);
      EXPECT_EQ(layout.place(a).rail, layout.place(b).rail);
      EXPECT_NE(layout.place(a).node, layout.place(b).node);
      EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second);
      EXPECT_TRUE(seen.insert({a, b}).second) << a << '-' << b << " in two rounds";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(NodesAndRails, Matchings,
                         testing::Combine(testing::Values(6, 9, 64), testing::Values(1, 2, 8)));

// Three nodes have three matchings of one pair; the next ones begin again.
TEST(MatchingsOfFewNodes, Repeat) {
  SplitMix random(1);
  const auto rounds = matchings(nodes_of(3, 1), 5, random);

  ASSERT_EQ(rounds.size(), 5u);
  EXPECT_EQ(rounds[0], rounds[3]);
  EXPECT_EQ(rounds[1], rounds[4]);
}

TEST(MatchingsOfUnevenNodes, PairTheRailsThatBothHave) {
  const std::vector<int> nodes{0, 0, 1};
  SplitMix random(1);

  for (const auto& round : matchings(layout_of(nodes), 1, random))
    EXPECT_EQ(round, (Round{{0, 2}}));
}

TEST(Parts, ShareARoundEvenly) {
  Round round;
  for (int i = 0; i < 10; ++i) round.emplace_back(2 * i, 2 * i + 1);

  const auto parts = in_parts(round, 4);

  ASSERT_EQ(parts.size(), 4u);
  std::set<Pair> all;
  for (const auto& part : parts) {
    EXPECT_GE(part.size(), 2u);
    EXPECT_LE(part.size(), 3u);
    all.insert(part.begin(), part.end());
  }
  EXPECT_EQ(all, std::set<Pair>(round.begin(), round.end()));
}

TEST(Parts, AreNoMoreThanPairsAndAtLeastOne) {
  EXPECT_EQ(in_parts({{0, 1}, {2, 3}}, 16).size(), 2u);
  EXPECT_EQ(in_parts({{0, 1}}, 0).size(), 1u);
  EXPECT_EQ(in_parts({}, 4).size(), 1u);
}

}  // namespace
}  // namespace linerate::pairs
