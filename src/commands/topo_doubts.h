// What predictions and placements rest on that nobody has told.
#pragma once

#include "topo/cluster/cluster.h"
#include "topo/system/system.h"

#include <string>
#include <vector>

namespace linerate {

// What the source could not tell; and, between nodes, which NICs have the speed that NCCL guesses.
// A sentence each.
std::vector<std::string> doubts_about(const topo::System& system, bool between_nodes);

// Of all kinds among the first `nnodes` nodes, each sentence once.
std::vector<std::string> doubts_about(const topo::Cluster& cluster, int nnodes);

// Prints them on stderr, a line each.
void tell_doubts(const std::vector<std::string>& doubts);

}  // namespace linerate
