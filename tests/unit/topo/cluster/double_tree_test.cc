// The two trees over nodes, against NCCL's drawing of them and what makes them two halves.
#include "topo/cluster/fabric_traffic.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate::topo {
namespace {

std::vector<int> parents(int tree, int nnodes) {
  std::vector<int> parents;
  for (int n = 0; n < nnodes; ++n) parents.push_back(place_in_tree(tree, n, nnodes).parent);
  return parents;
}

TEST(DoubleTree, BeginsWithATreeOfPowersOfTwo) {
  EXPECT_EQ(parents(0, 8), (std::vector{-1, 2, 4, 2, 0, 6, 4, 6}));
  EXPECT_EQ(parents(0, 6), (std::vector{-1, 2, 4, 2, 0, 4}));
}

TEST(DoubleTree, MirrorsItForAnEvenNumberAndShiftsItForAnOddOne) {
  EXPECT_EQ(parents(1, 4), (std::vector{1, 3, 1, -1}));
  EXPECT_EQ(parents(1, 5), (std::vector{1, -1, 3, 0, 3}));
}

TEST(DoubleTree, GivesEveryNodeAWayToTheRootAndParentsTwoChildrenAtMost) {
  for (const int nnodes : {1, 2, 3, 5, 12, 14, 64, 65, 100})
    for (const int tree : {0, 1}) {
      std::vector<int> children(static_cast<std::size_t>(2 * nnodes));
      int roots = 0;
      for (int n = 0; n < nnodes; ++n) {
        const auto place = place_in_tree(tree, n, nnodes);
        if (place.parent < 0) {
          ++roots;
          continue;
        }
        ++children[static_cast<std::size_t>(2 * place.parent + (place.second_child ? 1 : 0))];
        int steps = 0;
        for (int at = n; at >= 0 && steps <= nnodes; ++steps)
          at = place_in_tree(tree, at, nnodes).parent;
        EXPECT_LE(steps, 9) << nnodes << " nodes, tree " << tree << ", node " << n;
      }
      EXPECT_EQ(roots, 1);
      for (const int count : children) EXPECT_LE(count, 1) << nnodes << " nodes, tree " << tree;
    }
}

TEST(DoubleTree, LetsNoNodeHaveTwoChildrenInBothTrees) {
  constexpr int kNodes = 14;
  std::vector<int> children(kNodes);
  for (int n = 0; n < kNodes; ++n)
    for (const int tree : {0, 1})
      if (const int parent = place_in_tree(tree, n, kNodes).parent; parent >= 0)
        ++children[static_cast<std::size_t>(parent)];

  for (const int count : children) EXPECT_LE(count, 2);
}

}  // namespace
}  // namespace linerate::topo
