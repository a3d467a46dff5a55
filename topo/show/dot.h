// A graph as text for Graphviz.
#pragma once

#include "topo/graph/graph.h"

#include <string>

namespace linerate::topo {

// An undirected graph for `dot`: every node and link as NCCL sees them, boxes around NUMA nodes and
// hosts, links with their GB/s, coloured by kind and as thick as they are fast, degraded ones
// dashed in red.
std::string dot_text(const Graph& graph);

}  // namespace linerate::topo
