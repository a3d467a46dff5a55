// Hosts of one system that look the same, so that one of them can stand for all.
#pragma once

#include "topo/graph/graph.h"

#include <string>
#include <vector>

namespace linerate::topo {

// Hosts by number. They have the same processors and devices at the same places with the same
// names; ranks and GUIDs, which no two hosts share, do not count.
using HostGroup = std::vector<int>;

// Every host in one group, in the order of each group's first.
std::vector<HostGroup> alike_hosts(const Graph& graph);

int host_count(const Graph& graph);

// A node's name on its own host: "GPU3" of "h2/GPU3".
std::string name_on_host(const Graph& graph, int node);

// "18 hosts alike: h0-h17", "h3".
std::string group_words(const HostGroup& group);

// Nodes of one kind on one host.
std::vector<int> nodes_on(const Graph& graph, NodeKind kind, int host);

}  // namespace linerate::topo
