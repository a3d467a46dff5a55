// See cluster.h.
#include "topo/cluster/cluster.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace linerate::topo {

int Cluster::nnodes() const {
  return std::accumulate(groups.begin(), groups.end(), 0,
                         [](int sum, const NodeGroup& group) { return sum + group.count; });
}

int Cluster::first_alike() const {
  const auto end = std::ranges::find_if(
      groups, [&](const NodeGroup& group) { return group.system != groups.front().system; });
  return std::accumulate(groups.begin(), end, 0,
                         [](int sum, const NodeGroup& group) { return sum + group.count; });
}

const System& Cluster::system_of_node(int node) const {
  assert(node >= 0 && node < nnodes());
  std::size_t group = 0;
  for (; node >= groups[group].count; ++group) node -= groups[group].count;
  return *groups[group].system;
}

int Cluster::rack_of_node(int node) const {
  assert(node >= 0 && node < nnodes());
  return fabric.nodes_per_rack > 0 ? node / fabric.nodes_per_rack : 0;
}

}  // namespace linerate::topo
