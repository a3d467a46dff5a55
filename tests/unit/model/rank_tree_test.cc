// Trees of ranks: each rank is in the tree once, and knows its neighbours.
#include "model/rank_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace linerate {
namespace {

using PlaceOf = TreePlace (*)(int rank, int nranks);

// Yields the number of levels above `rank`, after checks of all that lies below it.
void expect_subtree(PlaceOf place_of, int rank, int nranks, int depth, int& deepest) {
  const auto place = place_of(rank, nranks);
  EXPECT_LE(place.first, rank);
  EXPECT_LT(rank, place.last);
  int below = 1;
  for (const int child : place.children) {
    const auto its = place_of(child, nranks);
    EXPECT_EQ(its.parent, rank);
    EXPECT_GE(its.first, place.first);
    EXPECT_LE(its.last, place.last);
    below += its.last - its.first;
    expect_subtree(place_of, child, nranks, depth + 1, deepest);
  }
  EXPECT_EQ(below, place.last - place.first);
  deepest = std::max(deepest, depth);
}

class RankTree : public testing::TestWithParam<PlaceOf> {};

TEST_P(RankTree, HoldsEachRankOnceBelowOneRoot) {
  for (int nranks = 1; nranks <= 33; ++nranks) {
    SCOPED_TRACE(nranks);
    int roots = 0, deepest = 0;
    for (int rank = 0; rank < nranks; ++rank) {
      const auto place = GetParam()(rank, nranks);
      if (place.parent >= 0) continue;
      ++roots;
      EXPECT_EQ(place.first, 0);
      EXPECT_EQ(place.last, nranks);
      expect_subtree(GetParam(), rank, nranks, 0, deepest);
    }
    EXPECT_EQ(roots, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RankTree, testing::Values(binary_tree_place, star_place),
                         [](const auto& shape) { return shape.index == 0 ? "Binary" : "Star"; });

TEST(BinaryTree, HasTwoChildrenAtMostAndFewLevels) {
  for (int nranks = 1; nranks <= 33; ++nranks)
    for (int rank = 0; rank < nranks; ++rank) {
      const auto place = binary_tree_place(rank, nranks);
      EXPECT_LE(place.children.size(), 2u);
      if (place.parent >= 0) continue;
      int deepest = 0;
      expect_subtree(binary_tree_place, rank, nranks, 0, deepest);
      EXPECT_EQ(deepest, static_cast<int>(std::log2(nranks)));
    }
}

TEST(Star, IsRootedAtRank0) {
  const auto server = star_place(0, 4);

  EXPECT_EQ(server.children, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(star_place(3, 4).parent, 0);
  EXPECT_TRUE(star_place(3, 4).children.empty());
}

}  // namespace
}  // namespace linerate
