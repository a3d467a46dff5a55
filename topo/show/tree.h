// A system as a tree for the terminal.
#pragma once

#include "topo/graph/graph.h"
#include "topo/show/text_layout.h"

#include <string>

namespace linerate::topo {

// Processors with their cores, PCI switches, GPUs and NICs with their links; what joins processors
// and GPUs; and what could not be seen. A switch above one device alone stands with that device,
// hosts that look alike once. Bandwidths are those that the graph's version of NCCL counts.
std::string tree_text(const Graph& graph, const TreeOptions& options = {});

}  // namespace linerate::topo
