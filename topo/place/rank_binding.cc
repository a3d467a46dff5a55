#include "topo/place/rank_binding.h"

#include "topo/graph/graph.h"
#include "topo/graph/paths.h"
#include "topo/place/subgraph.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace linerate::topo {
namespace {

// Whether the source told the core of every thread of the node; a node without threads has none.
bool knows_cores(const Cpu& cpu, const ThreadSet& threads) {
  std::size_t known = 0;
  for (const auto& core : cpu.core_threads) known += core.size();
  return known == threads.size();
}

// 0-3,8-11 becomes 0, 8, 1, 9, ...: two runs of one length are first and second threads of cores.
std::vector<int> paired(const ThreadSet& threads) {
  std::vector<int> all(threads.begin(), threads.end());
  const auto half = all.size() / 2;
  const bool is_two_runs =
      all.size() % 2 == 0 && half > 0 && all[half - 1] - all[0] == static_cast<int>(half) - 1 &&
      all.back() - all[half] == static_cast<int>(half) - 1 && all[half] > all[half - 1] + 1;
  if (!is_two_runs) return all;
  std::vector<int> mixed;
  for (std::size_t i = 0; i < half; ++i) mixed.insert(mixed.end(), {all[i], all[half + i]});
  return mixed;
}

NumaCores cores_of_node(const Cpu& cpu, const ThreadSet& usable) {
  const auto threads = threads_in_mask(cpu.affinity);
  NumaCores node{.numa = cpu.numa, .host_hash = cpu.host_hash, .known = knows_cores(cpu, threads)};
  const auto add = [&](std::span<const int> core) {
    Core one;
    for (const int thread : core)
      if (usable.empty() || usable.contains(thread)) one.threads.insert(thread);
    if (!one.threads.empty()) node.cores.push_back(std::move(one));
  };
  if (node.known)
    for (const auto& core : cpu.core_threads) add(core);
  else
    for (const int thread : paired(threads)) add({&thread, 1});
  return node;
}

// hwloc numbers cores by their place: sockets, memory nodes and cores by their lowest thread.
void number_cores(const System& system, std::vector<NumaCores>& nodes) {
  using Place = std::tuple<std::uint64_t, int, int, std::size_t>;  // host, socket, thread, node
  std::map<std::pair<std::uint64_t, int>, int> sockets;            // by their lowest thread
  std::vector<Place> order;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].cores.empty()) continue;
    const int lowest = *nodes[i].cores.front().threads.begin();
    const auto [socket, fresh] =
        sockets.try_emplace({nodes[i].host_hash, system.cpus[i].package}, lowest);
    if (!fresh) socket->second = std::min(socket->second, lowest);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!nodes[i].cores.empty())
      order.emplace_back(nodes[i].host_hash, sockets[{nodes[i].host_hash, system.cpus[i].package}],
                         *nodes[i].cores.front().threads.begin(), i);
  std::ranges::sort(order);
  std::map<std::uint64_t, int> next;
  for (const auto& place : order)
    for (auto& core : nodes[std::get<3>(place)].cores) core.logical = next[std::get<0>(place)]++;
}

}  // namespace

std::vector<NumaCores> cores_of(const System& system) {
  const auto usable = threads_in_mask(system.usable);
  std::vector<NumaCores> nodes;
  for (const auto& cpu : system.cpus) nodes.push_back(cores_of_node(cpu, usable));
  if (std::ranges::all_of(nodes, &NumaCores::known)) number_cores(system, nodes);
  return nodes;
}

std::vector<std::vector<Core>> shares(const std::vector<Core>& all, int n) {
  std::vector<std::vector<Core>> parts;
  const auto count = static_cast<std::ptrdiff_t>(all.size());
  auto next = all.begin();
  for (int i = 0; i < n; ++i) {
    if (count > 0 && count < n) {
      parts.push_back({all[static_cast<std::size_t>(i * count / n)]});
      continue;
    }
    const auto end = next + count / n + (i < count % n ? 1 : 0);
    parts.emplace_back(next, end);
    next = end;
  }
  return parts;
}

ThreadSet threads_of(const std::vector<Core>& cores) {
  ThreadSet all;
  for (const auto& core : cores) all.insert(core.threads.begin(), core.threads.end());
  return all;
}

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

RankBindings bindings_of_gpus(const Graph& graph, int n) {
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

RankBindings bindings_of_cores(const Graph& graph, int n) {
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
      graph.of(NodeKind::gpu).empty() ? bindings_of_cores(graph, n) : bindings_of_gpus(graph, n);
  bindings.numa_nodes = numa_nodes_of(graph, bindings.all);
  for (const auto& binding : bindings.all)
    for (const auto& core : binding.cores)
      bindings.knows_cores = bindings.knows_cores && core.logical >= 0;
  return bindings;
}

}  // namespace linerate::topo
