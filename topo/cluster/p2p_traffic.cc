// Splits each send by the rails of its routes, then adds up which racks send to which.
#include "topo/cluster/fabric_traffic.h"

#include <algorithm>
#include <map>
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

// Which part of a send is on which rail.
class P2pRails {
 public:
  P2pRails(const P2pModel& model, const std::map<int, int>& rails, std::size_t nrails)
      : model_(model), rails_(rails), nrails_(nrails) {}

  RailFlows of(const P2pStep& step) const {
    RailFlows flows{.out = none(), .in = none(), .up = none(), .down = none()};
    for (int a = 0; a < model_.ranks().gpus; ++a)
      for (int b = 0; b < model_.ranks().gpus; ++b)
        if (const double bytes = std::max(step.out(a, b), step.in(a, b)); bytes > 0)
          add(bytes, leaving(a, b), arriving(b), flows);
    return flows;
  }

 private:
  std::vector<double> none() const { return std::vector<double>(nrails_); }

  std::vector<double> leaving(int from, int peer) const {
    auto shares = none();
    for (const auto& route : model_.routes().out(from, peer))
      if (!route.hops.empty()) shares[rail_of(route.hops.back().to)] += route.share;
    return shares;
  }

  std::vector<double> arriving(int to) const {
    auto shares = none();
    for (const auto& route : model_.routes().in(to))
      if (!route.hops.empty()) shares[rail_of(route.hops.front().from)] += route.share;
    return shares;
  }

  std::size_t rail_of(int port) const { return static_cast<std::size_t>(rails_.at(port)); }

  static void add(double bytes, const std::vector<double>& out, const std::vector<double>& in,
                  RailFlows& flows) {
    for (std::size_t rail = 0; rail < out.size(); ++rail) {
      flows.out[rail] += bytes * out[rail];
      flows.in[rail] += bytes * in[rail];
      flows.up[rail] += bytes * std::max(out[rail] - in[rail], 0.0);
      flows.down[rail] += bytes * std::max(in[rail] - out[rail], 0.0);
    }
  }

  const P2pModel& model_;
  const std::map<int, int>& rails_;
  std::size_t nrails_;
};

// Adds up who sends to whom.
class RackCount {
 public:
  RackCount(const Cluster& cluster, int nnodes)
      : cluster_(cluster),
        nnodes_(nnodes),
        racks_(rack_of(nnodes - 1) + 1),
        nodes_of_rack_(racks_.size()) {
    for (int n = 0; n < nnodes; ++n) ++nodes_of_rack_[rack_of(n)];
  }

  std::vector<RackFlows> of(const P2pStep& step) && {
    for (int n = 0; n < nnodes_; ++n) add(step, n);
    return std::move(racks_);
  }

 private:
  std::size_t rack_of(int node) const {
    return static_cast<std::size_t>(cluster_.rack_of_node(node));
  }

  void add(const P2pStep& step, int node) {
    const double part = 1.0 / std::max(nnodes_ - 1, 1);
    switch (step.peers()) {
      case NodePeers::all:
        return spread(node);
      case NodePeers::first:
        return node > 0 ? send(node, 0, part) : void();
      case NodePeers::from_first:
        return node > 0 ? send(0, node, part) : void();
      case NodePeers::next:
        return send(node, (node + 1) % nnodes_, 1);
      case NodePeers::partner:
        return send(node, node ^ step.apart(), 1);
    }
  }

  void spread(int node) {
    const double others = std::max(nnodes_ - 1, 1);
    auto& rack = racks_[rack_of(node)];
    const double near = (nodes_of_rack_[rack_of(node)] - 1) / others;
    rack.inside += near;
    rack.out += 1 - near;
    rack.in += 1 - near;
  }

  void send(int from, int to, double part) {
    const auto one = rack_of(from), other = rack_of(to);
    if (one == other) {
      racks_[one].inside += part;
    } else {
      racks_[one].out += part;
      racks_[other].in += part;
    }
  }

  const Cluster& cluster_;
  int nnodes_;
  std::vector<RackFlows> racks_;
  std::vector<double> nodes_of_rack_;
};

}  // namespace

FabricTraffic traffic_of(const Cluster& cluster, const P2pModel& model, const P2pStep& step) {
  const auto nrails = static_cast<std::size_t>(cluster.fabric.rails);
  const auto rails = rails_of_ports(model.graph(), cluster.fabric.rails);
  const auto flows = P2pRails(model, rails, nrails).of(step);
  FabricTraffic traffic;
  for (const auto& rack : RackCount(cluster, model.ranks().nnodes).of(step))
    for (std::size_t rail = 0; rail < nrails; ++rail) {
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
