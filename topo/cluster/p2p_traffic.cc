// Splits each send by the rails of its routes, then adds up which racks send to which.
#include "topo/cluster/fabric_traffic.h"

#include <algorithm>
#include <utility>

namespace linerate::topo {
namespace {

// What leaves a node that sends all that a step has, by rail.
struct RailFlows {
  std::vector<double> out{}, in{};   // where it goes up, and where it comes down
  std::vector<double> up{}, down{};  // of that what changes rails, within a rack
};

// How many such nodes' sends a rack has.
struct RackFlows {
  double out = 0, in = 0, inside = 0;  // to other racks, from other ones, within
};

RailFlows rail_flows(const P2pModel& model, const P2pStep& step, int nrails) {
  const auto rails = rails_of_ports(model.graph(), nrails);
  const std::vector<double> none(static_cast<std::size_t>(nrails));
  const auto rail_of = [&](int port) { return static_cast<std::size_t>(rails.at(port)); };
  RailFlows flows{.out = none, .in = none, .up = none, .down = none};
  for (int a = 0; a < model.ranks().gpus; ++a)
    for (int b = 0; b < model.ranks().gpus; ++b) {
      const double bytes = std::max(step.out(a, b), step.in(a, b));
      if (bytes <= 0) continue;
      auto out = none, in = none;  // shares of each rail
      for (const auto& route : model.out(a, b))
        if (!route.hops.empty()) out[rail_of(route.hops.back().to)] += route.share;
      for (const auto& route : model.in(b))
        if (!route.hops.empty()) in[rail_of(route.hops.front().from)] += route.share;
      for (std::size_t rail = 0; rail < none.size(); ++rail) {
        flows.out[rail] += bytes * out[rail];
        flows.in[rail] += bytes * in[rail];
        flows.up[rail] += bytes * std::max(out[rail] - in[rail], 0.0);
        flows.down[rail] += bytes * std::max(in[rail] - out[rail], 0.0);
      }
    }
  return flows;
}

// Adds up who sends to whom.
class RackCount {
 public:
  RackCount(const Cluster& cluster, int nnodes)
      : cluster_(cluster), nnodes_(nnodes), racks_(rack_of(nnodes - 1) + 1) {}

  std::vector<RackFlows> of(const P2pStep& step) && {
    std::vector<double> nodes(racks_.size());  // of each rack
    for (int n = 0; n < nnodes_; ++n) ++nodes[rack_of(n)];
    const double others = std::max(nnodes_ - 1, 1);
    for (int n = 0; n < nnodes_; ++n) switch (step.peers()) {
        case NodePeers::all:
          spread(racks_[rack_of(n)], (nodes[rack_of(n)] - 1) / others);
          break;
        case NodePeers::first:
          if (n > 0) send(n, 0, 1 / others);
          break;
        case NodePeers::from_first:
          if (n > 0) send(0, n, 1 / others);
          break;
        case NodePeers::next:
          send(n, (n + 1) % nnodes_, 1);
          break;
        case NodePeers::partner:
          send(n, n ^ step.apart(), 1);
          break;
      }
    return std::move(racks_);
  }

 private:
  std::size_t rack_of(int node) const {
    return static_cast<std::size_t>(cluster_.rack_of_node(node));
  }

  static void spread(RackFlows& rack, double near) {
    rack.inside += near;
    rack.out += 1 - near;
    rack.in += 1 - near;
  }

  void send(int from, int to, double part) {
    const auto one = rack_of(from), other = rack_of(to);
    (one == other ? racks_[one].inside : racks_[one].out) += part;
    if (one != other) racks_[other].in += part;
  }

  const Cluster& cluster_;
  int nnodes_;
  std::vector<RackFlows> racks_;
};

}  // namespace

FabricTraffic traffic_of(const Cluster& cluster, const P2pModel& model, const P2pStep& step) {
  const auto flows = rail_flows(model, step, cluster.fabric.rails);
  FabricTraffic traffic;
  for (const auto& rack : RackCount(cluster, model.ranks().nnodes).of(step))
    for (std::size_t rail = 0; rail < flows.out.size(); ++rail) {
      traffic.up.push_back(rack.out * flows.out[rail] + rack.inside * flows.up[rail]);
      traffic.down.push_back(rack.in * flows.in[rail] + rack.inside * flows.down[rail]);
      traffic.spine += traffic.up.back();
    }
  constexpr double kRounding = 1e-12;
  traffic.crossings = traffic.spine > kRounding ? 1 : 0;
  return traffic;
}

std::optional<P2pCosts> costs_on(const Cluster& cluster, const FabricLinks& links,
                                 const P2pModel& model, const Collective& what) {
  auto costs = model.costs(what);
  if (!costs || model.ranks().nnodes < 2) return costs;
  const auto steps = *p2p_steps(what, model.ranks());
  for (std::size_t n = 0; n < steps.size(); ++n) {
    auto& cost = costs->steps[n];
    if (!steps[n].leaves_node()) continue;
    const auto load = narrowest(traffic_of(cluster, model, steps[n]), links, cluster.fabric);
    cost.latency_us += load.crossing_us;
    if (load.us_per_byte <= cost.us_per_byte) continue;
    cost.us_per_byte = load.us_per_byte;
    cost.bound_by = load.link;
  }
  return costs;
}

}  // namespace linerate::topo
