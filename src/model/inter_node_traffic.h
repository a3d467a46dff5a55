// The elements that a collective must move between nodes.
#pragma once

#include "model/model.h"

#include <cstddef>
#include <span>
#include <vector>

namespace linerate {

// Lower bounds, in elements.
struct InterNodeTraffic {
  std::vector<std::size_t> sent{}, received{};  // by node
  std::size_t total = 0;                        // over all nodes; at least the sum of either
  bool every_rank_waits = false;                // each rank needs something from another node
  // Reductions, or data that several ranks need: rings and trees pass it on from rank to rank.
  bool relayed = false;

  bool operator==(const InterNodeTraffic&) const = default;
};

// `nodes[r]` is the node of rank r, counted from 0.
//  - Data that several ranks of a node need enters the node once.
//  - Data that several nodes need leaves its own node once: the others may pass it on.
//  - Of a reduction, each node sends its share once, combined, and each node that needs the result
//    receives it once. In total: one transfer for each node but the one that completes the
//    reduction, and one more for each other node that needs it.
// All zero and false on one node.
InterNodeTraffic inter_node_traffic(const ModeledCall& call, std::span<const int> nodes);

}  // namespace linerate
