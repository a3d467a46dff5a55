#include "model/rank_tree.h"

#include <utility>

namespace linerate {
namespace {

int middle(int first, int last) { return first + (last - first) / 2; }

}  // namespace

// The root of consecutive ranks is the one in their middle, those before and behind it are its
// subtrees.
TreePlace binary_tree_place(int rank, int nranks) {
  TreePlace place{.first = 0, .last = nranks};
  for (int root = middle(0, nranks); root != rank; root = middle(place.first, place.last)) {
    place.parent = root;
    (rank < root ? place.last : place.first) = rank < root ? root : root + 1;
  }
  for (const auto& [first, last] : {std::pair(place.first, rank), std::pair(rank + 1, place.last)})
    if (first < last) place.children.push_back(middle(first, last));
  return place;
}

TreePlace star_place(int rank, int nranks) {
  if (rank > 0) return {.parent = 0, .first = rank, .last = rank + 1};
  TreePlace place{.first = 0, .last = nranks};
  for (int child = 1; child < nranks; ++child) place.children.push_back(child);
  return place;
}

}  // namespace linerate
