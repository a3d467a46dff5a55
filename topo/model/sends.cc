// See sends.h.
#include "topo/model/sends.h"

#include "base/units.h"
#include "topo/model/traffic_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace linerate::topo {
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
  bool add(double bytes, const std::vector<SendRoute>& routes) {
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
      const double us = load.first / (kBytesPerUsOfGbps * load.second);
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
SendBound bound_of(std::span<const SendCost> steps, double bytes) {
  double latency_us = 0, moving_us = 0;
  for (const auto& step : steps) {
    latency_us += step.latency_us;
    moving_us += step.us_per_byte * bytes;
  }
  const auto longest = std::ranges::max_element(steps, {}, &SendCost::us_per_byte);
  return {.time_us = latency_us + moving_us,
          .bound_by = latency_us > moving_us ? "latency" : longest->bound_by};
}

void add_bandwidth(SendBound& bound, double counted_bytes, double bus_factor) {
  bound.algbw_gbps = counted_bytes / (kBytesPerUsOfGbps * bound.time_us);
  bound.busbw_gbps = bound.algbw_gbps * bus_factor;
}

// Bytes that algbw counts for a row of `bytes`.
double counted_bytes(const Collective& what, std::size_t bytes, int nranks) {
  const auto ranks = static_cast<std::size_t>(nranks);
  const std::size_t count = what.divides_by_ranks ? bytes / ranks : bytes;
  return static_cast<double>(what.algbw_count({.count = count, .nranks = nranks}));
}

}  // namespace

SendModel::SendModel(const Graph& graph, int nnodes)
    : graph_(graph),
      ranks_{static_cast<int>(graph.of(NodeKind::gpu).size()), nnodes},
      routes_(graph) {}

std::optional<SendCost> SendModel::cost(const SendStep& step) const {
  LinkLoads loads;
  for (int a = 0; a < ranks_.gpus; ++a)
    for (int b = 0; b < ranks_.gpus; ++b) {
      if (step.inside(a, b) > 0 && !loads.add(step.inside(a, b), {routes_.inside(a, b)}))
        return std::nullopt;
      if (step.out(a, b) > 0 && !loads.add(step.out(a, b), routes_.out(a, b))) return std::nullopt;
      if (step.in(a, b) > 0 && !loads.add(step.in(a, b), routes_.in(b))) return std::nullopt;
    }
  const auto [hop, us] = loads.longest(graph_);
  // The quickest of NCCL's protocols, which sends take while they are small.
  return SendCost{
      .latency_us = ring_step_us(graph_.version(), slowest_hardware(step), Protocol::ll),
      .us_per_byte = us,
      .bound_by = us > 0 ? words_of(hop) : std::string()};
}

Hardware SendModel::slowest_hardware(const SendStep& step) const {
  if (step.leaves_node()) return Hardware::net;
  for (int a = 0; a < ranks_.gpus; ++a)
    for (int b = 0; b < ranks_.gpus; ++b) {
      if (step.inside(a, b) <= 0) continue;
      const auto hardware = hardware_of(routes_.type_inside(a, b), graph_.version());
      if (hardware == Hardware::pci) return hardware;
    }
  return Hardware::nvlink;
}

std::string SendModel::words_of(const Hop& hop) const {
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

std::optional<SendCosts> SendModel::costs(const Collective& what) const {
  const auto steps = send_steps(what, ranks_);
  if (!steps) return std::nullopt;
  SendCosts costs{.what = &what, .nranks = ranks_.nranks()};
  for (const auto& step : *steps) {
    auto cost = this->cost(step);
    if (!cost) return std::nullopt;
    costs.steps.push_back(std::move(*cost));
  }
  return costs;
}

std::optional<SendBound> SendModel::bound(const Collective& what, std::size_t bytes) const {
  const auto costs = this->costs(what);
  return costs ? costs->at(bytes) : std::nullopt;
}

std::optional<SendBound> SendModel::bound_of_traffic(const Collective& what,
                                                     const Sizing& sizing) const {
  const auto counted = what.algbw_count(sizing) * bytes_of(sizing.type);
  if (counted == 0 || keeps_most(sizing)) return std::nullopt;
  std::optional<SendBound> slowest;
  for (const auto& step : traffic_steps(sizing, ranks_)) {
    const auto cost = this->cost(step);
    if (!cost) return std::nullopt;
    auto bound = bound_of({&*cost, 1}, 1);
    if (!slowest || bound.time_us > slowest->time_us) slowest = std::move(bound);
  }
  add_bandwidth(*slowest, static_cast<double>(counted), what.bus_factor(sizing.nranks));
  return slowest;
}

std::optional<SendBound> SendCosts::at(std::size_t bytes) const {
  if (bytes == 0) return std::nullopt;
  auto bound = bound_of(steps, static_cast<double>(bytes));
  add_bandwidth(bound, counted_bytes(*what, bytes, nranks), what->bus_factor(nranks));
  return bound;
}

}  // namespace linerate::topo
