// Channels that NCCL found, in lines for a terminal, and where two machines' differ.
#pragma once

#include "topo/graph/graph.h"
#include "topo/read/graph_xml.h"

#include <string>
#include <vector>

namespace linerate::topo {

// What the search here finds on a machine, as NCCL would write it into a dump: `multi_node` for a
// job of several nodes.
GraphDump searched_dump(const Graph& graph, bool multi_node);

// Each graph and its channels, those that are alike in one line.
std::string dump_text(const GraphDump& dump);

// What differs, a line each and named by the graph; empty: nothing. Ranks do not count, since those
// of two nodes always differ; nor do graphs without channels that only one of them has.
std::vector<std::string> differences(const GraphDump& one, const GraphDump& other);

}  // namespace linerate::topo
