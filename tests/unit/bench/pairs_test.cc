// Rounds of pairs: every pair once, and never one rank twice in a round; and the pairs to time.
#include "bench/pairs.h"

#include <gtest/gtest.h>

#include <set>

namespace linerate {
namespace {

class PairRounds : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(PairRounds, HoldEveryPairOnceAndEachRankAtMostOnceARound) {
  const auto [nranks, at_once] = GetParam();

  const auto rounds = pair_rounds(nranks, at_once);

  std::set<Pair> seen;
  for (const auto& round : rounds) {
    std::set<int> busy;
    for (const auto& [a, b] : round) {
      EXPECT_LT(a, b);
      EXPECT_TRUE(seen.insert({a, b}).second) << a << "-" << b << " twice";
      EXPECT_TRUE(busy.insert(a).second);
      EXPECT_TRUE(busy.insert(b).second);
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(nranks * (nranks - 1) / 2));
}

INSTANTIATE_TEST_SUITE_P(Ranks, PairRounds,
                         testing::Combine(testing::Values(1, 2, 3, 4, 5, 8, 13), testing::Bool()));

TEST(PairRoundsAtOnce, NeedOneRoundLessThanRanks) {
  EXPECT_EQ(pair_rounds(8, true).size(), 7u);
  EXPECT_EQ(pair_rounds(7, true).size(), 7u);
}

TEST(PairsToTime, AreAllOfFewRanksAndAFewOfMany) {
  EXPECT_EQ(pairs_to_time(2), (std::vector<Pair>{{0, 1}, {1, 0}}));
  EXPECT_EQ(pairs_to_time(16).size(), 16u * 15);
  EXPECT_EQ(pairs_to_time(64).size(), 2u * (64 + 63 - 2)) << "a ring and a star share two";
}

}  // namespace
}  // namespace linerate
