// The two trees that NCCL lays over the nodes of a job, each for half of a call's bytes.
#pragma once

namespace linerate::topo {

struct TreePlace {
  int parent = -1;            // node; -1: this one is the root
  bool second_child = false;  // of its parent
};

// In tree 0 or 1, as src/graph/trees.cc of NCCL has them: tree 0 is binary and balanced, tree 1
// the same for the nodes counted from the other end or, of an odd number, one further.
// REQUIRES: 0 <= node < nnodes.
TreePlace place_in_tree(int tree, int node, int nnodes);

}  // namespace linerate::topo
