// Ranks on nodes, as a run finds them.
#include "bench/limits/host_probe.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate {
namespace {

std::vector<RankInfo> ranks_on(const std::vector<int>& nodes) {
  std::vector<RankInfo> ranks;
  for (const int node : nodes) ranks.push_back({.node = node});
  return ranks;
}

TEST(NodesOfARun, AreOneWhereAllRanksAreOnIt) {
  EXPECT_EQ(ranks_by_node(ranks_on({0, 0, 0})).size(), 1U);
  EXPECT_EQ(ranks_by_node(ranks_on({0, 0, 1})).size(), 2U);
  EXPECT_EQ(ranks_by_node(ranks_on({0, 1, 0})).size(), 2U);
}

TEST(NodesOfARun, AreEquallyFullHoweverRanksAreDealtOut) {
  EXPECT_TRUE(are_equally_full(ranks_on({0, 0, 0})));
  EXPECT_TRUE(are_equally_full(ranks_on({0, 1, 1, 0})));
  EXPECT_FALSE(are_equally_full(ranks_on({0, 0, 1})));
}

}  // namespace
}  // namespace linerate
