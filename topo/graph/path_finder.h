// Breadth-first search for the paths from all nodes to one.
#pragma once

#include "topo/graph/paths.h"
#include "topo/graph/rules.h"

#include <vector>

namespace linerate::topo {

// The paths from every node to `base`, by node. Of two ways the better is kept: up to 2.30.4 the
// one with more GB/s in fewer hops, later the one of nearer type, then more GB/s, then fewer hops.
std::vector<Path> paths_to(const Graph& graph, const GraphRules& rules, int base);

}  // namespace linerate::topo
