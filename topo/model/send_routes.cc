// See send_routes.h.
#include "topo/model/send_routes.h"

#include "topo/graph/locality.h"
#include "topo/graph/rules.h"

#include <algorithm>
#include <utility>

namespace linerate::topo {

SendRoutes::SendRoutes(const Graph& graph)
    : graph_(graph), paths_(graph), carriers_(graph.nodes().size(), -1) {
  for (const int gpu : graph_.of(NodeKind::gpu)) ports_.push_back(local_nets(graph_, paths_, gpu));
  for (const int port : graph_.of(NodeKind::net))
    carriers_[static_cast<std::size_t>(port)] = local_gpu(graph_, paths_, port);
}

// The GPU of the sender's host that has the receiver's number; the sender where there is none.
int SendRoutes::counterpart(int from, int peer) const {
  const Node& sender = graph_.node(gpu(from));
  const int dev = graph_.node(gpu(peer)).gpu->dev;
  const auto gpus = graph_.of(NodeKind::gpu);
  const auto found = std::ranges::find_if(gpus, [&](int n) {
    return graph_.node(n).host == sender.host && graph_.node(n).gpu->dev == dev;
  });
  return found == gpus.end() ? from : static_cast<int>(found - gpus.begin());
}

bool SendRoutes::passes_on(int gpu, int carrier, int port) const {
  const auto within = [&](int from, int to, PathType level) {
    return !nearer(level, paths_.between(from, to).type, graph_.version());
  };
  const auto reach = graph_rules(graph_.version()).pxn_reach;
  return carrier >= 0 && within(carrier, gpu, PathType::nvl) && within(carrier, port, reach);
}

void SendRoutes::add(std::vector<Hop>& hops, int from, int to) const {
  const auto& path = paths_.between(from, to).hops;
  hops.insert(hops.end(), path.begin(), path.end());
}

SendRoute SendRoutes::inside(int from, int to) const {
  return {.hops = paths_.between(gpu(from), gpu(to)).hops};
}

PathType SendRoutes::type_inside(int from, int to) const {
  return paths_.between(gpu(from), gpu(to)).type;
}

std::vector<SendRoute> SendRoutes::out(int from, int peer) const {
  const auto& wanted = ports_[static_cast<std::size_t>(counterpart(from, peer))];
  const auto& own = ports_[static_cast<std::size_t>(from)];
  std::vector<SendRoute> routes;
  for (std::size_t n = 0; n < wanted.size() && !own.empty(); ++n) {
    SendRoute route{.share = 1.0 / static_cast<double>(wanted.size())};
    const int carrier = carriers_[static_cast<std::size_t>(wanted[n])];
    if (passes_on(gpu(from), carrier, wanted[n])) {
      add(route.hops, gpu(from), carrier);
      add(route.hops, carrier, wanted[n]);
    } else {
      add(route.hops, gpu(from), own[n % own.size()]);
    }
    routes.push_back(std::move(route));
  }
  return routes;
}

std::vector<SendRoute> SendRoutes::in(int to) const {
  std::vector<SendRoute> routes;
  const auto& ports = ports_[static_cast<std::size_t>(to)];
  for (const int port : ports) {
    SendRoute route{.share = 1.0 / static_cast<double>(ports.size())};
    add(route.hops, port, gpu(to));
    routes.push_back(std::move(route));
  }
  return routes;
}

}  // namespace linerate::topo
