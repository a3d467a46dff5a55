// Sentences about clusters that do not fit what was asked of them.
#pragma once

#include "topo/cluster/cluster.h"

#include <string>

namespace linerate {

// "--cluster: its nodes are of several kinds (a, b)", each once: the sentence goes on behind it.
std::string several_kinds(const topo::Cluster& cluster);

// That it has fewer than `nnodes`.
std::string more_than_it_has(const topo::Cluster& cluster, int nnodes);

}  // namespace linerate
