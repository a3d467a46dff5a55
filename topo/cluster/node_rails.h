// Which rails of the network a node's channels use.
#pragma once

#include "topo/graph/graph.h"
#include "topo/model/algorithm.h"
#include "topo/search/node_channels.h"

#include <array>
#include <map>
#include <vector>

namespace linerate::topo {

// Of one channel: where it comes in from other nodes, and where it goes out.
struct ChannelRails {
  int in = 0, out = 0;
};

struct NodeRails {
  std::array<std::vector<ChannelRails>, kAlgorithms> channels{};  // by Algorithm
  // Trees: the first and the second child are reached where channels go out, not where they come
  // in.
  std::array<bool, 2> child_is_out{};
  bool pairs_rings = false;  // every second node takes rings in pairs the other way round
};

// By port, a node of the graph: a host's k-th is on rail k mod rails.
std::map<int, int> rails_of_ports(const Graph& graph, int rails);

// Of the ports that they use. Channels that NCCL found within the node alone are on rail 0.
NodeRails rails_of(const Graph& graph, const NodeChannels& found, int rails);

// GB/s of all NIC ports on each rail.
std::vector<double> gbps_by_rail(const Graph& graph, int rails);

}  // namespace linerate::topo
