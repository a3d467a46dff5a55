// See node_rails.h. Rules are those of src/graph/connect.cc of NCCL and of ncclTopoGetNetDev in its
// src/graph/search.cc: a channel's first GPU uses the port that it comes in by, any other GPU the
// port that it goes out by.
#include "topo/cluster/node_rails.h"

#include "topo/model/job.h"

namespace linerate::topo {
namespace {

// Trees begin at their first GPU. The pattern says which one reaches the children.
std::array<bool, 2> children_at_out(const ChannelSet& tree) {
  const bool one_gpu = tree.channels.empty() || tree.channels.front().gpus.size() < 2;
  if (one_gpu || tree.pattern == Pattern::tree) return {false, false};
  return {true, tree.pattern == Pattern::split_tree};
}

}  // namespace

std::map<int, int> rails_of_ports(const Graph& graph, int rails) {
  std::map<int, int> of_port, ports_of_host;
  for (const int port : graph.of(NodeKind::net))
    of_port[port] = ports_of_host[graph.node(port).host]++ % rails;
  return of_port;
}

NodeRails rails_of(const Graph& graph, const NodeChannels& found, int rails) {
  constexpr int kTried = 2;  // of cross_nic
  const auto of_port = rails_of_ports(graph, rails);
  const auto rail_of = [&](int port) { return port < 0 ? 0 : of_port.at(port); };
  NodeRails node{.child_is_out = children_at_out(found.tree),
                 .pairs_rings = found.ring.cross_nic == kTried};
  for (const auto algorithm : kAllAlgorithms)
    for (const auto& channel : channels_of(found, algorithm).channels)
      node.channels[index_of(algorithm)].push_back(
          {.in = rail_of(channel.net_in), .out = rail_of(channel.net_out)});
  return node;
}

std::vector<double> gbps_by_rail(const Graph& graph, int rails) {
  std::vector<double> gbps(static_cast<std::size_t>(rails));
  for (const auto& [port, rail] : rails_of_ports(graph, rails))
    gbps[static_cast<std::size_t>(rail)] += graph.node(port).gbps;
  return gbps;
}

}  // namespace linerate::topo
