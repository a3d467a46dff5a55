// What rounds of pairs say, on rates without noise.
#include "layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace linerate::pairs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Eight rounds of pairs at the GB/s that the function says.
Estimate estimate_of(const Layout& layout, const std::function<double(Pair)>& gbps_of) {
  SplitMix random(3);
  std::vector<Rate> rates;
  for (const auto& round : matchings(layout, 8, random))
    for (const auto& pair : round) {
      const double gbps = gbps_of(pair);
      rates.push_back({pair, gbps, 2 * gbps});
    }
  return estimate(layout, rates, kLimit);
}

TEST(Estimate, HasNoSuspectWhereAllIsAlike) {
  const auto found = estimate_of(nodes_of(16), [](Pair) { return 10.0; });

  EXPECT_NEAR(found.base_gbps, 10, 1e-9);  // of the slower way
  EXPECT_THAT(found.ranks, IsEmpty());
  EXPECT_THAT(found.low, IsEmpty());
  EXPECT_EQ(found.not_measured, 0u);
}

TEST(Estimate, SuspectsASlowRankAndNoneOfItsPartners) {
  const auto found = estimate_of(
      nodes_of(16), [](Pair pair) { return pair.first == 5 || pair.second == 5 ? 8.0 : 10.0; });

  EXPECT_THAT(found.ranks, ElementsAre(5));
  EXPECT_NEAR(found.deficit[5], std::log(0.8), 1e-9);
  EXPECT_DOUBLE_EQ(found.deficit[4], 0);
  EXPECT_THAT(found.low, IsEmpty());  // the rank's deficit explains its pairs
}

TEST(Estimate, HoldsALowPairApartFromItsRanks) {
  Pair low{-1, -1};
  const auto found = estimate_of(nodes_of(16), [&](Pair pair) {
    if (low.first < 0) low = pair;
    return pair == low ? 6.0 : 10.0;
  });

  EXPECT_THAT(found.ranks, IsEmpty());
  ASSERT_EQ(found.low.size(), 1u);
  EXPECT_EQ(found.low[0].ranks, low);
  EXPECT_NEAR(found.low[0].residual, std::log(0.6), 1e-9);
}

TEST(Estimate, SuspectsARankThatIsInLowPairsWithTwoPartners) {
  int low_pairs = 0;
  const auto found = estimate_of(nodes_of(16), [&](Pair pair) {
    const bool low = (pair.first == 5 || pair.second == 5) && low_pairs < 2;
    low_pairs += low ? 1 : 0;
    return low ? 6.0 : 10.0;
  });

  EXPECT_THAT(found.ranks, ElementsAre(5));
  EXPECT_EQ(found.low.size(), 2u);
}

TEST(Estimate, HoldsRanksOfASlowRailAgainstEachOther) {
  const auto layout = nodes_of(16, 2);
  const auto found = estimate_of(layout, [](Pair pair) {
    if (pair.first == 9 || pair.second == 9) return 6.0;
    return pair.first % 2 == 1 ? 8.0 : 10.0;
  });

  EXPECT_FALSE(found.is_slow_rail(0));
  EXPECT_TRUE(found.is_slow_rail(1));
  EXPECT_NEAR(found.rail_gbps[1], 8, 1e-9);
  EXPECT_THAT(found.ranks, ElementsAre(9));
  EXPECT_NEAR(found.value(layout, {{1, 3}, 8, 8}), std::log(10), 1e-9);
}

TEST(Estimate, TestsTheWorstWhereThereAreTooMany) {
  const auto layout = nodes_of(64);
  const auto share_of = [](int rank) { return rank < 20 ? 0.5 + 0.01 * rank : 1; };
  const auto found = estimate_of(layout, [&](Pair pair) {
    return 10 * std::min(share_of(pair.first), share_of(pair.second));
  });

  EXPECT_EQ(most_suspects(layout), 16u);
  EXPECT_EQ(most_suspects(nodes_of(256)), 32u);
  ASSERT_EQ(found.ranks.size(), 16u);
  EXPECT_EQ(found.ranks[0], 0);
  EXPECT_EQ(found.left_out, 4u);
}

TEST(Estimate, CountsRanksWithoutAPartner) {
  const std::vector<int> nodes{0, 1, 2, 2};
  const auto found = estimate_of(layout_of(nodes), [](Pair) { return 10.0; });

  EXPECT_EQ(found.not_measured, 1u);
  EXPECT_THAT(found.ranks, IsEmpty());
}

TEST(SpreadOf, IsTheStandardDeviationOfNormalValuesAndDeafToFew) {
  EXPECT_DOUBLE_EQ(spread_of({}), 0);
  EXPECT_DOUBLE_EQ(spread_of({3}), 0);
  EXPECT_NEAR(spread_of({-1, 0, 1}), 1.4826, 1e-12);
  EXPECT_NEAR(spread_of({-1, 0, 1, 0, 1000}), 1.4826, 1e-12);
}

}  // namespace
}  // namespace linerate::pairs
