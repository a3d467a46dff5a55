// See fabric_traffic.h.
#include "topo/cluster/fabric_traffic.h"

#include "topo/cluster/double_tree.h"

#include <algorithm>
#include <map>
#include <utility>

namespace linerate::topo {
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
  void trees();
  void tree(int channel, int which);
  Port parent_port(const TreePlace& place, int channel) const;
  void pat();
  void switch_reductions();
  void reduce_in_leaves(const std::map<int, int>& nodes_of_leaf);

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
  const bool chain = function_ == Function::broadcast || function_ == Function::reduce;
  const int rounds = function_ == Function::all_reduce ? 2 : 1;
  const double n = job_.nranks;
  const double share = (chain ? 1 : rounds * (n - 1) / n) / nchannels_;
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

void TrafficCount::trees() {
  constexpr int kTrees = 2;
  for (int c = 0; c < nchannels_; ++c)
    for (int which = 0; which < kTrees; ++which) tree(c, which);
}

TrafficCount::Port TrafficCount::parent_port(const TreePlace& place, int channel) const {
  const auto& of = rails(place.parent, channel);
  const bool out =
      algorithm_ == Algorithm::tree && node(place.parent).child_is_out[place.second_child ? 1 : 0];
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

void TrafficCount::reduce_in_leaves(const std::map<int, int>& nodes_of_leaf) {
  if (nodes_of_leaf.size() < 2) return;
  for (const auto& [leaf, nodes] : nodes_of_leaf) {
    const double own = static_cast<double>(nodes) / nnodes_;
    double up = 1, down = 1;
    if (function_ == Function::all_gather) up = own, down = 1 - own;
    if (function_ == Function::reduce_scatter) up = 1 - own, down = own;
    traffic_.up[static_cast<std::size_t>(leaf)] += up / nchannels_;
    traffic_.down[static_cast<std::size_t>(leaf)] += down / nchannels_;
    traffic_.spine += up / nchannels_;
  }
  traffic_.crossings = 1;
}

void TrafficCount::switch_reductions() {
  for (int c = 0; c < nchannels_; ++c) {
    std::map<int, int> nodes_of_leaf;
    for (int n = 0; n < nnodes_; ++n) ++nodes_of_leaf[leaf_of({n, rails(n, c).in})];
    reduce_in_leaves(nodes_of_leaf);
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
      trees();
      break;
    case Algorithm::pat:
      pat();
      break;
    case Algorithm::nvls:
    case Algorithm::collnet_direct:
    case Algorithm::collnet_chain:
      switch_reductions();
      break;
  }
  return std::move(traffic_);
}

}  // namespace

FabricTraffic traffic_of(const FabricJob& job, Function function, Algorithm algorithm) {
  return TrafficCount(job, function, algorithm).counted();
}

}  // namespace linerate::topo
