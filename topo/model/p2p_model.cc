#include "topo/model/p2p_model.h"

#include "base/units.h"
#include "topo/graph/paths.h"
#include "topo/graph/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace linerate::topo {

P2pModel::P2pModel(const Graph& graph, int nnodes)
    : graph_(graph),
      ranks_{static_cast<int>(graph.of(NodeKind::gpu).size()), nnodes},
      paths_(graph),
      carriers_(graph.nodes().size(), -1) {
  for (const int gpu : graph_.of(NodeKind::gpu)) ports_.push_back(local_nets(graph_, paths_, gpu));
  for (const int port : graph_.of(NodeKind::net))
    carriers_[static_cast<std::size_t>(port)] = local_gpu(graph_, paths_, port);
}

// The GPU of the sender's host that has the receiver's number; the sender where there is none.
int P2pModel::counterpart(int from, int peer) const {
  const Node& sender = graph_.node(gpu(from));
  const int dev = graph_.node(gpu(peer)).gpu->dev;
  const auto gpus = graph_.of(NodeKind::gpu);
  const auto found = std::ranges::find_if(gpus, [&](int n) {
    return graph_.node(n).host == sender.host && graph_.node(n).gpu->dev == dev;
  });
  return found == gpus.end() ? from : static_cast<int>(found - gpus.begin());
}

bool P2pModel::passes_on(int gpu, int carrier, int port) const {
  const auto within = [&](int from, int to, PathType level) {
    return !nearer(level, paths_.between(from, to).type, graph_.version());
  };
  const auto reach = graph_rules(graph_.version()).pxn_reach;
  return carrier >= 0 && within(carrier, gpu, PathType::nvl) && within(carrier, port, reach);
}

void P2pModel::add(std::vector<Hop>& hops, int from, int to) const {
  const auto& path = paths_.between(from, to).hops;
  hops.insert(hops.end(), path.begin(), path.end());
}

std::vector<P2pRoute> P2pModel::out(int from, int peer) const {
  const auto& wanted = ports_[static_cast<std::size_t>(counterpart(from, peer))];
  const auto& own = ports_[static_cast<std::size_t>(from)];
  std::vector<P2pRoute> routes;
  for (std::size_t n = 0; n < wanted.size() && !own.empty(); ++n) {
    P2pRoute route{.share = 1.0 / static_cast<double>(wanted.size())};
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

std::vector<P2pRoute> P2pModel::in(int to) const {
  std::vector<P2pRoute> routes;
  const auto& ports = ports_[static_cast<std::size_t>(to)];
  for (const int port : ports) {
    P2pRoute route{.share = 1.0 / static_cast<double>(ports.size())};
    add(route.hops, port, gpu(to));
    routes.push_back(std::move(route));
  }
  return routes;
}

namespace {

// 0: the network's own link, 1: the bus to a NIC, 2: others.
int from_network(const Graph& graph, const Hop& hop) {
  if (hop.kind == LinkKind::net) return 0;
  const auto is_nic = [&](int n) { return graph.node(n).kind == NodeKind::nic; };
  return is_nic(hop.from) || is_nic(hop.to) ? 1 : 2;
}

// The name of a NIC's first port, as people call the NIC.
std::string port_of(const Graph& graph, const Node& nic) {
  for (const auto& link : nic.links)
    if (link.kind == LinkKind::net) return graph.node(link.to).name;
  return nic.name;
}

// What each direction of a link carries.
class LinkLoads {
 public:
  // False where there is no way for bytes to go.
  bool add(double bytes, const std::vector<P2pRoute>& routes) {
    for (const auto& route : routes) {
      if (route.hops.empty()) return false;
      for (const auto& hop : route.hops) {
        auto& load = loads_[{hop.from, hop.to, hop.kind}];
        load.first += bytes * route.share;
        load.second = hop.gbps;
      }
    }
    return !routes.empty();
  }

  // The link that takes longest and its time for each byte. Of several that take as long the one
  // nearest to the network, then the first.
  std::pair<Hop, double> longest(const Graph& graph) const {
    constexpr double kAsLong = 1e-9;
    std::pair<Hop, double> found;
    for (const auto& [place, load] : loads_) {
      const auto& [from, to, kind] = place;
      const Hop hop{from, to, kind, load.second};
      const double us = transfer_us(load.first, load.second);
      const bool alike = std::abs(us - found.second) < kAsLong * us;
      if (alike ? from_network(graph, hop) < from_network(graph, found.first) : us > found.second)
        found = {hop, us};
    }
    return found;
  }

 private:
  std::map<std::tuple<int, int, LinkKind>, std::pair<double, double>> loads_;  // bytes, GB/s
};

// Steps one after the other, of so many bytes; without bandwidths.
P2pBound bound_of(std::span<const P2pCost> steps, double bytes) {
  double latency_us = 0, moving_us = 0;
  for (const auto& step : steps) {
    latency_us += step.latency_us;
    moving_us += step.us_per_byte * bytes;
  }
  const auto longest = std::ranges::max_element(steps, {}, &P2pCost::us_per_byte);
  return {.time_us = latency_us + moving_us,
          .latency_us = latency_us,
          .bound_by = latency_us > moving_us ? "latency" : longest->bound_by};
}

void add_bandwidth(P2pBound& bound, double counted_bytes, double bus_factor) {
  bound.algbw_gbps = gbps_of(counted_bytes, bound.time_us);
  bound.busbw_gbps = bound.algbw_gbps * bus_factor;
}

}  // namespace

namespace {

// What a rank sends, or gets.
struct RankTraffic {
  int peers = 0;
  double largest = 0, all = 0;

  void add(double bytes, int messages) {
    if (bytes <= 0) return;
    peers += messages;
    largest = std::max(largest, bytes / messages);
    all += bytes;
  }
};

// Of the ranks that move most: in all, and between nodes.
struct Busiest {
  RankTraffic any{}, remote{};

  void count(const RankTraffic& all, const RankTraffic& crossing) {
    if (all.all > any.all) any = all;
    if (crossing.all > remote.all) remote = crossing;
  }
};

Busiest busiest_ranks(const P2pStep& step, const RankGrid& ranks) {
  const bool many = step.peers() == NodePeers::all || step.peers() == NodePeers::from_first;
  const bool gathers = step.peers() == NodePeers::all || step.peers() == NodePeers::first;
  const int others = std::max(ranks.nnodes - 1, 1);
  Busiest busiest;
  for (int rank = 0; rank < ranks.gpus; ++rank) {
    RankTraffic sent, got, sent_away, got_from_away;
    for (int peer = 0; peer < ranks.gpus; ++peer) {
      sent.add(step.inside(rank, peer), 1);
      sent.add(step.out(rank, peer), many ? others : 1);
      got.add(step.inside(peer, rank), 1);
      got.add(step.in(peer, rank), gathers ? others : 1);
      sent_away.add(step.out(rank, peer), many ? others : 1);
      got_from_away.add(step.in(peer, rank), gathers ? others : 1);
    }
    busiest.count(sent, sent_away);
    busiest.count(got, got_from_away);
  }
  return busiest;
}

}  // namespace

std::optional<P2pCost> P2pModel::cost(const P2pStep& step) const {
  LinkLoads loads;
  for (int a = 0; a < ranks_.gpus; ++a)
    for (int b = 0; b < ranks_.gpus; ++b) {
      const P2pRoute inside{.hops = paths_.between(gpu(a), gpu(b)).hops};
      if (step.inside(a, b) > 0 && !loads.add(step.inside(a, b), {inside})) return std::nullopt;
      if (step.out(a, b) > 0 && !loads.add(step.out(a, b), out(a, b))) return std::nullopt;
      if (step.in(a, b) > 0 && !loads.add(step.in(a, b), in(b))) return std::nullopt;
    }
  const auto [hop, us] = loads.longest(graph_);
  const auto busiest = busiest_ranks(step, ranks_);
  // The quickest of NCCL's protocols, which sends take while they are small.
  return P2pCost{.latency_us = ring_step_us(graph_.version(), slowest_hardware(step), Protocol::ll),
                 .us_per_byte = us,
                 .bound_by = us > 0 ? hop_text(hop) : std::string(),
                 .peers = std::max(busiest.any.peers, 1),
                 .message = busiest.any.largest,
                 .moved = busiest.any.all,
                 .remote_peers = busiest.remote.peers,
                 .crossing = busiest.remote.all};
}

Hardware P2pModel::slowest_hardware(const P2pStep& step) const {
  if (step.leaves_node()) return Hardware::net;
  for (int a = 0; a < ranks_.gpus; ++a)
    for (int b = 0; b < ranks_.gpus; ++b) {
      if (step.inside(a, b) <= 0) continue;
      const auto hardware = hardware_of(paths_.between(gpu(a), gpu(b)).type, graph_.version());
      if (hardware == Hardware::pci) return hardware;
    }
  return Hardware::nvlink;
}

std::string P2pModel::hop_text(const Hop& hop) const {
  const Node& from = graph_.node(hop.from);
  const Node& to = graph_.node(hop.to);
  const auto end = [&](NodeKind kind) { return to.kind == kind ? to.name : from.name; };
  switch (hop.kind) {
    case LinkKind::net:
      return "NIC " + end(NodeKind::net);
    case LinkKind::nvl:
      return "NVLinks of " + end(NodeKind::gpu);
    case LinkKind::c2c:
      return "C2C of " + end(NodeKind::gpu);
    case LinkKind::sys:
      return fmt::format("the link from {} to {}", from.name, to.name);
    case LinkKind::pci:
    case LinkKind::loc:
      break;
  }
  for (const Node* node : {&from, &to}) {
    if (node->kind == NodeKind::gpu) return "PCI of " + node->name;
    if (node->kind == NodeKind::nic) return "PCI of " + port_of(graph_, *node);
  }
  return "the link of " + end(NodeKind::pci);
}

std::optional<P2pCosts> P2pModel::costs(const Collective& what) const {
  const auto steps = p2p_steps(what, ranks_);
  if (!steps) return std::nullopt;
  P2pCosts costs{.what = &what, .nranks = ranks_.nranks()};
  for (const auto& step : *steps) {
    auto cost = this->cost(step);
    if (!cost) return std::nullopt;
    costs.steps.push_back(std::move(*cost));
  }
  return costs;
}

std::optional<P2pBound> P2pModel::bound(const Collective& what, std::size_t bytes) const {
  const auto costs = this->costs(what);
  return costs ? costs->at(bytes) : std::nullopt;
}

std::optional<P2pBound> P2pModel::bound_of_traffic(const Collective& what,
                                                   const Sizing& sizing) const {
  const auto counted = algbw_count(what, sizing) * bytes_of(sizing.type);
  if (counted == 0 || keeps_most(sizing)) return std::nullopt;
  std::optional<P2pBound> slowest;
  for (const auto& step : all_to_all_v_steps(sizing, ranks_)) {
    const auto cost = this->cost(step);
    if (!cost) return std::nullopt;
    auto bound = bound_of({&*cost, 1}, 1);
    if (!slowest || bound.time_us > slowest->time_us) slowest = std::move(bound);
  }
  add_bandwidth(*slowest, static_cast<double>(counted), what.bus_factor(sizing.nranks));
  return slowest;
}

std::optional<P2pBound> P2pCosts::at(std::size_t bytes) const {
  if (bytes == 0) return std::nullopt;
  auto bound = bound_of(steps, static_cast<double>(bytes));
  const auto count = count_of(*what, bytes, DataType::int8, nranks);
  const auto counted = algbw_count(*what, {.count = count, .nranks = nranks});
  add_bandwidth(bound, static_cast<double>(counted), what->bus_factor(nranks));
  return bound;
}

}  // namespace linerate::topo
