// See double_tree.h.
#include "topo/cluster/double_tree.h"

#include <cassert>

namespace linerate::topo {
namespace {

// A node's level is that of its lowest bit: its parent has the next one, above it or, where that
// would be no node, below.
TreePlace place_in_first_tree(int node, int nnodes) {
  if (node == 0) return {};
  const int level = node & -node;
  int parent = (node ^ level) | (level << 1);
  if (parent >= nnodes) parent = node ^ level;
  return {.parent = parent, .second_child = node > parent};
}

}  // namespace

TreePlace place_in_tree(int tree, int node, int nnodes) {
  assert(node >= 0 && node < nnodes);
  if (tree == 0) return place_in_first_tree(node, nnodes);
  const bool odd = nnodes % 2 == 1;
  auto place = place_in_first_tree(odd ? (node + nnodes - 1) % nnodes : nnodes - 1 - node, nnodes);
  if (place.parent >= 0)
    place.parent = odd ? (place.parent + 1) % nnodes : nnodes - 1 - place.parent;
  return place;
}

}  // namespace linerate::topo
