// See load.h.
#include "topo/place/load.h"

#include "base/units.h"
#include "topo/graph/locality.h"
#include "topo/model/constants.h"

#include <algorithm>
#include <iterator>

namespace linerate::topo {
namespace {

void take_way(const Graph& graph, const Path& path, double gbps, Load& load) {
  for (const Hop& hop : path.hops) {
    auto& use = load.uses[{graph.node(hop.from).name, graph.node(hop.to).name, hop.kind}];
    use.gbps += gbps;
    use.capacity_gbps = hop.gbps;
  }
}

}  // namespace

Load message_load(const Graph& graph, const Paths& paths, std::pair<int, int> ends,
                  std::size_t bytes) {
  auto [from, to] = ends;
  const bool crosses = from < 0 || to < 0;
  const int net = crosses ? local_net(graph, paths, std::max(from, to), 0) : -1;
  if (from < 0) from = net;
  if (to < 0) to = net;
  const Path& path = paths.between(from, to);
  const auto hardware = crosses ? Hardware::net : hardware_of(path.type, graph.version());
  Load load{.latency_us = ring_step_us(graph.version(), hardware, Protocol::simple)};
  if (crosses) load.latency_us += graph.node(net).net->latency_us;
  load.transfer_us = static_cast<double>(bytes) / (kBytesPerUsOfGbps * path.gbps);
  take_way(graph, path, path.gbps, load);
  return load;
}

double slowest_us(std::span<const Load* const> at_once) {
  std::map<LinkName, double> wanted;
  for (const Load* load : at_once)
    for (const auto& [link, use] : load->uses) wanted[link] += use.gbps;
  double slowest = 0;
  for (const Load* load : at_once) {
    double share = 1;  // a call by itself is as fast as its model says
    for (const auto& [link, use] : load->uses)
      share = std::max(share, wanted[link] / std::max(use.capacity_gbps, use.gbps));
    slowest = std::max(slowest, load->latency_us + load->transfer_us * share);
  }
  return slowest;
}

}  // namespace linerate::topo
