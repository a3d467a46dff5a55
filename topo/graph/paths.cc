// See paths.h.
#include "topo/graph/paths.h"

#include "topo/graph/path_finder.h"
#include "topo/graph/rerouter.h"
#include "topo/graph/rules.h"

#include <algorithm>

namespace linerate::topo {

Paths::Paths(const Graph& graph) {
  const std::size_t n = graph.nodes().size();
  const auto rules = graph_rules(graph.version());
  table_.assign(n, std::vector<Path>(n));
  for (std::size_t to = 0; to < n; ++to) {
    auto found = paths_to(graph, rules, static_cast<int>(to));
    for (std::size_t from = 0; from < n; ++from) table_[from][to] = std::move(found[from]);
  }
  Rerouter(graph, rules, *this).reroute();
}

const Hop* Paths::narrowest(const Path& path) {
  const auto found = std::ranges::min_element(path.hops, {}, &Hop::gbps);
  return found == path.hops.end() ? nullptr : &*found;
}

}  // namespace linerate::topo
