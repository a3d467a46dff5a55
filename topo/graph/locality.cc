// Facts from ncclTopoGetLocal, GetLocalNet and GetLocalGpu in NCCL's
// src/graph/topo.cc.
#include "topo/graph/paths.h"
#include "topo/graph/rules.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace linerate::topo {
namespace {

// The bits of `number` below `size`, a power of two, in the opposite order: neighbours go apart.
int mirrored(int number, int size) {
  int mirror = 0;
  for (int low = 1, high = size / 2; low < size; low *= 2, high /= 2)
    if ((number & low) != 0) mirror |= high;
  return mirror;
}

// The ports near a GPU, and how channels take them in turn.
class NetTurns {
 public:
  NetTurns(const Graph& graph, const Paths& paths, int gpu)
      : nets_(nearest(graph, paths, gpu, NodeKind::net)) {
    if (nets_.empty()) return;
    const int count = static_cast<int>(nets_.size());
    const auto sharing = nearest(graph, paths, nets_.front(), NodeKind::gpu);
    const int gpus = std::max(1, static_cast<int>(sharing.size()));
    each_ = (count + gpus - 1) / gpus;
    first_ = graph.node(gpu).gpu->dev;
    if (graph_rules(graph.version()).numbers_near_gpus) first_ %= gpus;
    if (std::has_single_bit(static_cast<unsigned>(count))) first_ = mirrored(first_, count);
  }

  int net(int channel) const {
    if (nets_.empty()) return -1;
    return nets_[static_cast<std::size_t>(first_ + channel % each_) % nets_.size()];
  }
  std::vector<int> all() const {
    std::vector<int> nets;
    for (int channel = 0; channel < each_ && !nets_.empty(); ++channel)
      nets.push_back(net(channel));
    return nets;
  }

 private:
  std::vector<int> nets_;
  int first_ = 0, each_ = 1;
};

}  // namespace

std::vector<int> nearest(const Graph& graph, const Paths& paths, int from, NodeKind kind) {
  std::vector<int> found;
  const Path* best = nullptr;
  for (const int to : graph.of(kind)) {
    const Path& path = paths.between(from, to);
    if (path.gbps <= 0) continue;
    const bool better = best == nullptr || path.gbps > best->gbps ||
                        (path.gbps == best->gbps && nearer(path.type, best->type, graph.version()));
    if (better) {
      best = &path;
      found.clear();
    }
    if (path.gbps == best->gbps && path.type == best->type) found.push_back(to);
  }
  return found;
}

int local_cpu(const Graph& graph, const Paths& paths, int gpu) {
  const auto all = graph.of(NodeKind::cpu);
  std::vector<int> cpus(all.begin(), all.end());
  if (graph_rules(graph.version()).prefers_type) cpus = nearest(graph, paths, gpu, NodeKind::cpu);
  std::erase_if(cpus, [&](int cpu) { return paths.between(gpu, cpu).hops.empty(); });
  const auto found = std::ranges::min_element(
      cpus, {}, [&](int cpu) { return paths.between(gpu, cpu).hops.size(); });
  return found == cpus.end() ? -1 : *found;
}

int local_net(const Graph& graph, const Paths& paths, int gpu, int channel) {
  return NetTurns(graph, paths, gpu).net(channel);
}

std::vector<int> local_nets(const Graph& graph, const Paths& paths, int gpu) {
  return NetTurns(graph, paths, gpu).all();
}

int local_gpu(const Graph& graph, const Paths& paths, int net) {
  const auto gpus = nearest(graph, paths, net, NodeKind::gpu);
  std::vector<NetTurns> turns;
  for (const int gpu : gpus) turns.emplace_back(graph, paths, gpu);
  const auto ports = std::ssize(graph.of(NodeKind::net));
  for (int channel = 0; channel < ports; ++channel)
    for (std::size_t n = 0; n < gpus.size(); ++n)
      if (turns[n].net(channel) == net) return gpus[n];
  return -1;
}

}  // namespace linerate::topo
