// See load.h.
#include "topo/place/load.h"

#include "base/units.h"
#include "topo/graph/locality.h"
#include "topo/model/constants.h"
#include "topo/model/job.h"
#include "topo/model/predict.h"
#include "topo/place/only_gpus.h"

#include <algorithm>
#include <iterator>

namespace linerate::topo {
namespace {

void take_way(const Graph& graph, const Path& path, double gbps, Load& load) {
  for (const Hop& hop : path.hops) {
    auto& use = load.uses[{graph.node(hop.from).name, graph.node(hop.to).name}];
    use.gbps += gbps;
    use.capacity_gbps = hop.gbps;
  }
}

// What the channels of a set take of the links of a node.
class ChannelUses {
 public:
  ChannelUses(const Graph& graph, const Paths& paths, const ChannelSet& set)
      : graph_(graph), paths_(paths), set_(set) {}

  void add_to(Load& load) const {
    for (const auto& channel : set_.channels) add(channel, load);
  }

 private:
  bool is_ring() const { return set_.pattern == Pattern::ring; }

  // Between nodes a channel is as fast as its slower half.
  double inside_gbps(const Channel& channel) const {
    return channel.net_in < 0 ? set_.intra_gbps : std::min(set_.intra_gbps, set_.inter_gbps);
  }

  void go(int from, int to, double gbps, Load& load) const {
    take_way(graph_, paths_.between(from, to), gbps, load);
    if (!is_ring()) take_way(graph_, paths_.between(to, from), gbps, load);  // up and down a tree
  }

  void add(const Channel& channel, Load& load) const {
    const auto& gpus = channel.gpus;
    const double gbps = inside_gbps(channel);
    for (std::size_t i = 1; i < gpus.size(); ++i) go(gpus[i - 1], gpus[i], gbps, load);
    if (channel.net_in < 0) {
      if (is_ring() && gpus.size() > 1) go(gpus.back(), gpus.front(), gbps, load);
      return;
    }
    const int last = is_ring() ? gpus.back() : gpus.front();
    take_way(graph_, paths_.between(channel.net_in, gpus.front()), set_.inter_gbps, load);
    take_way(graph_, paths_.between(last, channel.net_out), set_.inter_gbps, load);
  }

  const Graph& graph_;
  const Paths& paths_;
  const ChannelSet& set_;
};

double message_latency_us(const Graph& graph, Hardware hardware) {
  const auto constants = constants_of(graph.version());
  constexpr auto kRing = index_of(Algorithm::ring);
  constexpr auto kSimple = index_of(Protocol::simple);
  return constants.base_us[kRing][kSimple] +
         constants.hardware_us[index_of(hardware)][kRing][kSimple];
}

}  // namespace

Load all_reduce_load(const Graph& graph, std::span<const int> gpus, int nnodes, std::size_t bytes) {
  const auto own = build_graph(only_gpus(graph, gpus), graph.version());
  const auto job = job_of(own, {.nnodes = nnodes});
  const Predictor predictor(job);
  const auto choice = predictor.predict(Function::all_reduce, bytes);
  const auto& cost = predictor.costs().of(Function::all_reduce, choice.algorithm, choice.protocol);
  Load load{.latency_us = std::min(cost.latency_us, choice.time_us)};
  load.transfer_us = choice.time_us - load.latency_us;
  const Paths paths(own);
  ChannelUses(own, paths, job.of(choice.algorithm)).add_to(load);
  return load;
}

Load message_load(const Graph& graph, const Paths& paths, std::pair<int, int> ends,
                  std::size_t bytes) {
  auto [from, to] = ends;
  const bool crosses = from < 0 || to < 0;
  const int net = crosses ? local_net(graph, paths, std::max(from, to), 0) : -1;
  if (from < 0) from = net;
  if (to < 0) to = net;
  const Path& path = paths.between(from, to);
  const auto hardware = crosses ? Hardware::net : hardware_of(path.type, graph.version());
  Load load{.latency_us = message_latency_us(graph, hardware)};
  if (crosses) load.latency_us += graph.node(net).net->latency_us;
  load.transfer_us = static_cast<double>(bytes) / (kBytesPerUsOfGbps * path.gbps);
  take_way(graph, path, path.gbps, load);
  return load;
}

double slowest_us(std::span<const Load* const> at_once) {
  std::map<std::pair<std::string, std::string>, double> wanted;
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
