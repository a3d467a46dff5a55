#include "topo/place/rank_binding.h"

#include "topo/graph/graph.h"
#include "topo/graph/locality.h"
#include "topo/place/subgraph.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace linerate::topo {
namespace {

std::vector<int> gpus_by_bus(const Graph& graph) {
  const auto all = graph.of(NodeKind::gpu);
  std::vector<int> gpus(all.begin(), all.end());
  std::ranges::sort(gpus, {},
                    [&](int n) { return std::tuple(graph.node(n).host, graph.node(n).bus_id, n); });
  return gpus;
}

std::vector<NumaCores> usable_nodes(const System& system) {
  auto nodes = cores_of(system);
  std::erase_if(nodes, [](const NumaCores& node) { return node.cores.empty(); });
  return nodes;
}

int host_of(const System& system, std::uint64_t host_hash) {
  const auto hosts = hosts_of(system);
  return static_cast<int>(std::ranges::find(hosts, host_hash) - hosts.begin());
}

// RankBindings of one memory node share its cores.
void share_cores(const NumaCores& node, const std::vector<RankBinding*>& bindings) {
  const auto parts = shares(node.cores, static_cast<int>(bindings.size()));
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    bindings[i]->numas.push_back(node.numa);
    bindings[i]->cores.insert(bindings[i]->cores.end(), parts[i].begin(), parts[i].end());
  }
}

// The memory node of a binding's GPU, or the first of its host where that one has no usable cores;
// null where no node of the host has.
const NumaCores* home_of(const Graph& graph, const std::vector<NumaCores>& nodes,
                         const RankBinding& binding) {
  const NumaCores* first = nullptr;
  for (const auto& node : nodes) {
    if (host_of(graph.system(), node.host_hash) != binding.host) continue;
    if (node.numa == graph.node(binding.node).numa) return &node;
    if (first == nullptr) first = &node;
  }
  return first;
}

void share_cores_of_gpus(const Graph& graph, std::vector<RankBinding>& bindings) {
  const auto nodes = usable_nodes(graph.system());
  std::map<const NumaCores*, std::vector<RankBinding*>> homes;
  for (auto& binding : bindings) homes[home_of(graph, nodes, binding)].push_back(&binding);
  for (const auto& [node, here] : homes)
    if (node != nullptr) share_cores(*node, here);
}

std::vector<NearNic> nics_of_gpu(const Graph& graph, const Paths& paths, int gpu) {
  std::vector<NearNic> nics;
  for (const int net : local_nets(graph, paths, gpu))
    nics.push_back({graph.node(net).name, paths.between(gpu, net).type});
  return nics;
}

void give_nics_to_gpus(const Graph& graph, std::vector<RankBinding>& bindings) {
  std::vector<int> used;
  for (const auto& binding : bindings) used.push_back(binding.node);
  const auto taken = build_graph(only_gpus(graph, used), graph.version());
  const Paths paths(taken);
  for (auto& binding : bindings) {
    const auto gpu = taken.find(binding.gpu);
    if (gpu) binding.nics = nics_of_gpu(taken, paths, *gpu);
  }
}

RankBindings seats_of_gpus(const Graph& graph, int n) {
  RankBindings bindings;
  auto gpus = gpus_by_bus(graph);
  gpus.resize(static_cast<std::size_t>(n));
  for (const int gpu : gpus) {
    const Node& node = graph.node(gpu);
    bindings.all.push_back(
        {.host = node.host, .node = gpu, .dev = node.gpu->dev, .gpu = node.name});
  }
  share_cores_of_gpus(graph, bindings.all);
  give_nics_to_gpus(graph, bindings.all);
  return bindings;
}

// How many of n ranks each memory node takes: in proportion to its cores, what is left over to
// those that come nearest to one more, the first of equals. No more than it has cores.
std::vector<int> apportioned(const std::vector<NumaCores>& nodes, int n) {
  std::vector<int> counts(nodes.size(), 0);
  for (int given = 0; given < n; ++given) {
    const auto load = [&](std::size_t i) {  // ranks of a core with one more
      return static_cast<double>(counts[i] + 1) / static_cast<double>(nodes[i].cores.size());
    };
    std::size_t least = 0;
    for (std::size_t i = 1; i < nodes.size(); ++i)
      if (load(i) < load(least)) least = i;
    ++counts[least];
  }
  return counts;
}

// Fewer ranks than memory nodes: each takes several whole ones.
void give_whole_nodes(const std::vector<NumaCores>& nodes, std::vector<RankBinding>& bindings) {
  const auto n = bindings.size();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    share_cores(nodes[i], {&bindings[i * n / nodes.size()]});
}

void give_nics_to_nodes(const Graph& graph, std::vector<RankBinding>& bindings) {
  const Paths paths(graph);
  std::map<int, std::size_t> turn;  // by memory node
  for (auto& binding : bindings)
    for (const int cpu : graph.of(NodeKind::cpu)) {
      const int numa = graph.node(cpu).numa;
      if (binding.numas.empty() || numa != binding.numas.front()) continue;
      const auto nets = nearest(graph, paths, cpu, NodeKind::net);
      if (nets.empty()) continue;
      const int net = nets[turn[numa]++ % nets.size()];
      binding.nics = {{graph.node(net).name, paths.between(cpu, net).type}};
    }
}

RankBindings seats_of_cores(const Graph& graph, int n) {
  RankBindings bindings;
  const auto nodes = usable_nodes(graph.system());
  bindings.all.resize(static_cast<std::size_t>(n));
  if (n < static_cast<int>(nodes.size())) {
    give_whole_nodes(nodes, bindings.all);
  } else {
    const auto counts = apportioned(nodes, n);
    std::size_t next = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      std::vector<RankBinding*> here;
      for (int k = 0; k < counts[i]; ++k) here.push_back(&bindings.all[next++]);
      if (!here.empty()) share_cores(nodes[i], here);
    }
  }
  give_nics_to_nodes(graph, bindings.all);
  return bindings;
}

// Memory nodes with usable cores on hosts that have a rank; all of them where no rank has a GPU.
int numa_nodes_of(const Graph& graph, const std::vector<RankBinding>& bindings) {
  const auto nodes = usable_nodes(graph.system());
  return static_cast<int>(std::ranges::count_if(nodes, [&](const NumaCores& node) {
    const int host = host_of(graph.system(), node.host_hash);
    return bindings.front().node < 0 || std::ranges::count(bindings, host, &RankBinding::host) > 0;
  }));
}

}  // namespace

int max_ranks(const Graph& graph) {
  const auto gpus = graph.of(NodeKind::gpu).size();
  if (gpus > 0) return static_cast<int>(gpus);
  std::size_t cores = 0;
  for (const auto& node : cores_of(graph.system())) cores += node.cores.size();
  return static_cast<int>(cores);
}

RankBindings bind_ranks(const Graph& graph, int n) {
  auto bindings =
      graph.of(NodeKind::gpu).empty() ? seats_of_cores(graph, n) : seats_of_gpus(graph, n);
  bindings.numa_nodes = numa_nodes_of(graph, bindings.all);
  for (const auto& binding : bindings.all)
    for (const auto& core : binding.cores)
      bindings.knows_cores = bindings.knows_cores && core.logical >= 0;
  return bindings;
}

}  // namespace linerate::topo
