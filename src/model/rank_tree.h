// Trees of ranks along which a sum goes up and its result comes down again.
#pragma once

#include <vector>

namespace linerate {

// Where a rank stands in a tree: its subtree are the ranks [first, last).
struct TreePlace {
  int parent = -1;  // the root has none
  std::vector<int> children{};
  int first = 0, last = 1;
};

// At most two children, log2(nranks) levels; the root is the rank in the middle.
TreePlace binary_tree_place(int rank, int nranks);

// Rank 0 is the parent of all others: a parameter server.
TreePlace star_place(int rank, int nranks);

}  // namespace linerate
