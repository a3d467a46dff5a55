// Prices messages by their path, all_reduces by NCCL's cost model on the graph of a group's GPUs.
#include "base/units.h"
#include "topo/graph/graph.h"
#include "topo/graph/paths.h"
#include "topo/model/constants.h"
#include "topo/model/forecast.h"
#include "topo/model/predict.h"
#include "topo/place/order_cost.h"
#include "topo/place/subgraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace linerate::topo {

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
  load.transfer_us = transfer_us(static_cast<double>(bytes), path.gbps);
  for (const Hop& hop : path.hops) {
    auto& use = load.uses[{graph.node(hop.from).name, graph.node(hop.to).name, hop.kind}];
    use.gbps += path.gbps;
    use.capacity_gbps = hop.gbps;
  }
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

namespace {

// By the numbers of both nodes in the graph that was searched.
using UsesByNode = std::map<std::tuple<int, int, LinkKind>, LinkUse>;

void take_hops(const Path& path, double gbps, UsesByNode& uses) {
  for (const Hop& hop : path.hops) {
    auto& use = uses[{hop.from, hop.to, hop.kind}];
    use.gbps += gbps;
    use.capacity_gbps = hop.gbps;
  }
}

// What the channels of a set take of the links of a node.
UsesByNode uses_of(const Paths& paths, const ChannelSet& set) {
  const bool is_ring = set.pattern == Pattern::ring;
  UsesByNode uses;
  for (const auto& channel : set.channels) {
    const auto& gpus = channel.gpus;
    const bool inside = channel.net_in < 0;
    // Between nodes a channel is as fast as its slower half.
    const double gbps = inside ? set.intra_gbps : std::min(set.intra_gbps, set.inter_gbps);
    const auto go = [&](int from, int to) {
      take_hops(paths.between(from, to), gbps, uses);
      if (!is_ring) take_hops(paths.between(to, from), gbps, uses);  // up and down a tree
    };
    for (std::size_t i = 1; i < gpus.size(); ++i) go(gpus[i - 1], gpus[i]);
    if (inside && is_ring && gpus.size() > 1) go(gpus.back(), gpus.front());
    if (inside) continue;
    const int last = is_ring ? gpus.back() : gpus.front();
    take_hops(paths.between(channel.net_in, gpus.front()), set.inter_gbps, uses);
    take_hops(paths.between(last, channel.net_out), set.inter_gbps, uses);
  }
  return uses;
}

// NCCL's topology of a communicator has the hosts that have a rank.
Graph graph_of(const Graph& whole, std::span<const int> gpus) {
  auto system = only_gpus(whole, gpus);
  const auto hosts = hosts_of(system);
  std::erase_if(system.cpus, [&](const Cpu& cpu) {
    return std::ranges::none_of(gpus, [&](int gpu) {
      return hosts[static_cast<std::size_t>(whole.node(gpu).host)] == cpu.host_hash;
    });
  });
  return build_graph(std::move(system), whole.version());
}

// Names of a graph's nodes in another one that has more hosts: where either has several, those are
// told in front.
class NamesInWhole {
 public:
  NamesInWhole(const Graph& part, const Graph& whole)
      : part_(part), here_(hosts_of(part.system())), there_(hosts_of(whole.system())) {}

  std::string name(int n) const {
    const Node& node = part_.node(n);
    if (node.kind == NodeKind::nvs || there_.size() == 1) return node.name;
    const auto hash = here_[static_cast<std::size_t>(node.host)];
    const auto own = here_.size() > 1 ? fmt::format("h{}/", node.host).size() : 0;
    return fmt::format("h{}/{}", std::ranges::find(there_, hash) - there_.begin(),
                       std::string_view(node.name).substr(own));
  }

 private:
  const Graph& part_;
  std::vector<std::uint64_t> here_, there_;
};

}  // namespace

GroupLoads::Search::Search(const Graph& of, bool multi_node, std::vector<int> nodes)
    : graph(of), paths(graph), facts(facts_of(graph, multi_node)), order(std::move(nodes)) {}

Load GroupLoads::all_reduce(std::span<const int> gpus, int nnodes, std::size_t bytes) {
  return load(Function::all_reduce, gpus, nnodes, bytes, Time::modelled);
}

Load GroupLoads::forecast_of(Function function, std::span<const int> gpus, int nnodes,
                             std::size_t bytes) {
  return load(function, gpus, nnodes, bytes, Time::forecast);
}

Load GroupLoads::load(Function function, std::span<const int> gpus, int nnodes, std::size_t bytes,
                      Time time) {
  const auto own = graph_of(graph_, gpus);
  const auto alike = canonical_form(own, Paths(own));
  const Search& search =
      searches_.try_emplace({alike.key, nnodes > 1}, own, nnodes > 1, alike.order).first->second;
  const IdenticalNodes nodes{.facts = &search.facts, .count = nnodes};
  const auto job = job_of(std::span(&nodes, 1));
  const Predictor predictor(job);
  const auto choice = predictor.predict(function, bytes);
  const Scheme scheme{function, choice.algorithm, choice.protocol};
  double time_us = choice.time_us;
  if (time == Time::forecast)
    if (const auto measured = forecast(job, {.scheme = scheme, .bytes = bytes}))
      time_us = measured->time_us;
  Load load{.latency_us = std::min(predictor.cost(scheme).latency_us, time_us)};
  load.transfer_us = time_us - load.latency_us;
  std::vector<int> here(alike.order.size());  // by node of the searched graph
  for (std::size_t i = 0; i < here.size(); ++i)
    here[static_cast<std::size_t>(search.order[i])] = alike.order[i];
  const NamesInWhole names(own, graph_);
  for (const auto& [link, use] : uses_of(search.paths, job.of(choice.algorithm))) {
    const auto& [from, to, kind] = link;
    load.uses[{names.name(here[static_cast<std::size_t>(from)]),
               names.name(here[static_cast<std::size_t>(to)]), kind}] = use;
  }
  return load;
}

}  // namespace linerate::topo
