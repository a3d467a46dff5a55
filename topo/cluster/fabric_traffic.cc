#include "topo/cluster/fabric_traffic.h"

#include "base/units.h"
#include "topo/model/cost.h"
#include "topo/model/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
#include <utility>

namespace linerate::topo {
namespace {

// A node's level is that of its lowest bit: its parent has the next one, above it or, where that
// would be no node, below.
TreePlace place_in_first_tree(int node, int nnodes) {
  if (node == 0) return {};
  const int level = node & -node;
  int parent = (node ^ level) | (level << 1);
  if (parent >= nnodes) parent = node ^ level;
  return {.parent = parent, .second_child = node > parent};
}

}  // namespace

TreePlace place_in_tree(int tree, int node, int nnodes) {
  assert(node >= 0 && node < nnodes);
  if (tree == 0) return place_in_first_tree(node, nnodes);
  const bool odd = nnodes % 2 == 1;
  auto place = place_in_first_tree(odd ? (node + nnodes - 1) % nnodes : nnodes - 1 - node, nnodes);
  if (place.parent >= 0)
    place.parent = odd ? (place.parent + 1) % nnodes : nnodes - 1 - place.parent;
  return place;
}

// Rules are those of src/graph/connect.cc of NCCL and of ncclTopoGetNetDev in its
// src/graph/search.cc: a channel's first GPU uses the port that it comes in by, any other GPU the
// port that it goes out by.

std::map<int, int> rails_of_ports(const Graph& graph, int rails) {
  std::map<int, int> of_port, ports_of_host;
  for (const int port : graph.of(NodeKind::net))
    of_port[port] = ports_of_host[graph.node(port).host]++ % rails;
  return of_port;
}

NodeRails rails_of(const Graph& graph, const NodeChannels& found, int rails) {
  constexpr int kInPairs = 2;  // of cross_nic
  const auto of_port = rails_of_ports(graph, rails);
  const auto rail_of = [&](int port) { return port < 0 ? 0 : of_port.at(port); };
  const auto& trees = found.tree.channels;
  NodeRails node{.first_child_is_out = found.tree.pattern == Pattern::balanced_tree &&
                                       !trees.empty() && trees.front().gpus.size() > 1,
                 .pairs_rings = found.ring.cross_nic == kInPairs};
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

namespace {

// Messages of one call, one after the other.
class TrafficCount {
 public:
  TrafficCount(const FabricJob& job, Function function, Algorithm algorithm);
  FabricTraffic counted() &&;

 private:
  // The port that a channel uses of a node.
  struct Port {
    int node = 0, rail = 0;
  };

  int leaf_of(const Port& port) const {
    return job_.cluster->rack_of_node(port.node) * job_.cluster->fabric.rails + port.rail;
  }
  const NodeRails& node(int n) const { return *job_.nodes[static_cast<std::size_t>(n)]; }
  const ChannelRails& rails(int n, int channel) const {
    return node(n).channels[index_of(algorithm_)][static_cast<std::size_t>(channel)];
  }
  bool send(const Port& from, const Port& to, double share);  // whether it passes the spine
  void ring();
  int ring_channel(int n, int channel) const;
  void tree(int channel, int which);
  Port parent_port(const TreePlace& place, int channel) const;
  void pat();

  const FabricJob& job_;
  Function function_;
  Algorithm algorithm_;
  int nnodes_, nchannels_;
  FabricTraffic traffic_;
};

TrafficCount::TrafficCount(const FabricJob& job, Function function, Algorithm algorithm)
    : job_(job),
      function_(function),
      algorithm_(algorithm),
      nnodes_(job.nnodes()),
      nchannels_(job.nchannels[index_of(algorithm)]) {
  const auto racks = static_cast<std::size_t>(job.cluster->rack_of_node(nnodes_ - 1)) + 1;
  const auto leaves = racks * static_cast<std::size_t>(job.cluster->fabric.rails);
  traffic_.up.resize(leaves);
  traffic_.down.resize(leaves);
}

bool TrafficCount::send(const Port& from, const Port& to, double share) {
  const auto source = static_cast<std::size_t>(leaf_of(from));
  const auto target = static_cast<std::size_t>(leaf_of(to));
  if (source == target) return false;
  traffic_.up[source] += share;
  traffic_.down[target] += share;
  traffic_.spine += share;
  return true;
}

// The channel of a node's own search that the job's channel runs on there.
int TrafficCount::ring_channel(int n, int channel) const {
  const bool swapped = node(n).pairs_rings && nchannels_ % 2 == 0 && n % 2 == 1;
  return swapped ? channel ^ 1 : channel;
}

void TrafficCount::ring() {
  const int rounds = function_ == Function::all_reduce ? 2 : 1;
  const double share = bus_factor(function_, job_.nranks) / nchannels_;
  for (int c = 0; c < nchannels_; ++c) {
    int crossings = 0;
    for (int from = 0; from < nnodes_; ++from) {
      const int to = (from + 1) % nnodes_;
      crossings += send({from, rails(from, ring_channel(from, c)).out},
                        {to, rails(to, ring_channel(to, c)).in}, share);
    }
    traffic_.crossings =
        std::max(traffic_.crossings, std::min(rounds * crossings, rounds * (nnodes_ - 1)));
  }
}

TrafficCount::Port TrafficCount::parent_port(const TreePlace& place, int channel) const {
  const auto& of = rails(place.parent, channel);
  const bool out =
      algorithm_ == Algorithm::tree && node(place.parent).first_child_is_out && !place.second_child;
  return {place.parent, out ? of.out : of.in};
}

void TrafficCount::tree(int channel, int which) {
  constexpr double kHalf = 0.5;
  std::vector<TreePlace> places;
  std::vector<char> crosses;
  for (int n = 0; n < nnodes_; ++n) {
    const auto& place = places.emplace_back(place_in_tree(which, n, nnodes_));
    crosses.push_back(0);
    if (place.parent < 0) continue;
    const Port child{n, rails(n, channel).in}, parent = parent_port(place, channel);
    if (send(child, parent, kHalf / nchannels_)) crosses.back() = 1;
    (void)send(parent, child, kHalf / nchannels_);
  }
  for (int n = 0; n < nnodes_; ++n) {
    int crossings = 0;
    for (int at = n; at >= 0; at = places[static_cast<std::size_t>(at)].parent)
      crossings += crosses[static_cast<std::size_t>(at)];
    traffic_.crossings = std::max(traffic_.crossings, 2 * crossings);
  }
}

void TrafficCount::pat() {
  for (int distance = 1; distance < nnodes_; distance *= 2) {
    const int parts = (nnodes_ - 1 - distance) / (2 * distance) + 1;
    const double share = static_cast<double>(parts) / nnodes_ / nchannels_;
    bool crosses = false;
    for (int c = 0; c < nchannels_; ++c)
      for (int from = 0; from < nnodes_; ++from) {
        const int to = (from + distance) % nnodes_;
        crosses |= send({from, rails(from, c).in}, {to, rails(to, c).in}, share);
      }
    traffic_.crossings += crosses;
  }
}

FabricTraffic TrafficCount::counted() && {
  if (nnodes_ < 2 || nchannels_ == 0) return std::move(traffic_);
  switch (algorithm_) {
    case Algorithm::ring:
      ring();
      break;
    case Algorithm::tree:
    case Algorithm::nvls_tree:
      for (int c = 0; c < nchannels_; ++c)
        for (const int which : {0, 1}) tree(c, which);
      break;
    case Algorithm::pat:
      pat();
      break;
    case Algorithm::nvls:  // within one node only
      break;
  }
  return std::move(traffic_);
}

}  // namespace

FabricTraffic traffic_of(const FabricJob& job, Function function, Algorithm algorithm) {
  return TrafficCount(job, function, algorithm).counted();
}

namespace {

std::string leaf_text(const Fabric& fabric, std::size_t leaf, std::string_view link) {
  const auto rails = static_cast<std::size_t>(fabric.rails);
  if (rails == 1) return fmt::format("rack {} {}", leaf, link);
  return fmt::format("rack {} rail {} {}", leaf / rails, leaf % rails, link);
}

}  // namespace

FabricLinks links_of(const Cluster& cluster, std::span<const std::vector<double>> gbps_of_groups) {
  const auto rails = static_cast<std::size_t>(cluster.fabric.rails);
  const auto racks = static_cast<std::size_t>(cluster.rack_of_node(cluster.nnodes() - 1)) + 1;
  const double places = cluster.fabric.nodes_per_rack;
  std::vector<double> below(racks * rails), taken(racks);
  int node = 0;
  for (std::size_t group = 0; group < gbps_of_groups.size(); ++group)
    for (int i = 0; i < cluster.groups[group].count; ++i, ++node) {
      const auto rack = static_cast<std::size_t>(cluster.rack_of_node(node));
      ++taken[rack];
      for (std::size_t rail = 0; rail < rails; ++rail)
        below[rack * rails + rail] += gbps_of_groups[group][rail];
    }
  FabricLinks links{.leaf_gbps = std::move(below)};
  for (std::size_t leaf = 0; leaf < links.leaf_gbps.size(); ++leaf) {
    if (places > 0) links.leaf_gbps[leaf] *= places / taken[leaf / rails];
    links.leaf_gbps[leaf] /= cluster.fabric.rack.oversubscription;
  }
  links.spine_gbps = std::accumulate(links.leaf_gbps.begin(), links.leaf_gbps.end(), 0.0) /
                     cluster.fabric.spine.oversubscription;
  return links;
}

FabricLoad narrowest(const FabricTraffic& traffic, const FabricLinks& links, const Fabric& fabric) {
  FabricLoad load;
  const auto is_longer = [&](double share, double gbps) {  // of equals the first one is kept
    constexpr double kRounding = 1 + 1e-9;
    const double us_per_byte = share > 0 && gbps > 0 ? transfer_us(share, gbps) : 0;
    if (us_per_byte <= load.us_per_byte * kRounding) return false;
    load.us_per_byte = us_per_byte;
    return true;
  };
  for (std::size_t leaf = 0; leaf < traffic.up.size(); ++leaf) {
    const double gbps = links.leaf_gbps[leaf];
    if (is_longer(traffic.up[leaf], gbps)) load.link = leaf_text(fabric, leaf, "uplink");
    if (is_longer(traffic.down[leaf], gbps)) load.link = leaf_text(fabric, leaf, "downlink");
  }
  if (is_longer(traffic.spine, links.spine_gbps)) load.link = "spine";
  load.crossing_us = traffic.crossings * (2 * fabric.rack.latency_us + fabric.spine.latency_us);
  return load;
}

double wire_bytes_per_byte(Protocol protocol) {
  switch (protocol) {
    case Protocol::ll:
      return 2;
    case Protocol::ll128:
      return 128.0 / 120;
    case Protocol::simple:
      return 1;
  }
  __builtin_unreachable();
}

}  // namespace linerate::topo
