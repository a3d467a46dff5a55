// See cluster_words.h.
#include "commands/cluster_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace linerate {

std::string several_kinds(const topo::Cluster& cluster) {
  std::vector<std::string> names;
  for (const auto& group : cluster.groups)
    if (std::ranges::count(names, group.topology) == 0) names.push_back(group.topology);
  return fmt::format("--cluster: its nodes are of several kinds ({})", fmt::join(names, ", "));
}

std::string more_than_it_has(const topo::Cluster& cluster, int nnodes) {
  return fmt::format("--nodes {} is more than the cluster has: give at most {}.", nnodes,
                     cluster.nnodes());
}

}  // namespace linerate
