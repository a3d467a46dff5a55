// See seats.h.
#include "topo/place/seats.h"

#include "topo/graph/locality.h"
#include "topo/graph/numbers.h"
#include "topo/place/only_gpus.h"

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

// Seats of one memory node share its cores.
void share_cores(const NumaCores& node, const std::vector<Seat*>& seats) {
  const auto parts = shares(node.cores, static_cast<int>(seats.size()));
  for (std::size_t i = 0; i < seats.size(); ++i) {
    seats[i]->numas.push_back(node.numa);
    seats[i]->cores.insert(seats[i]->cores.end(), parts[i].begin(), parts[i].end());
  }
}

// The memory node of a seat's GPU, or the first of its host where that one has no usable cores;
// null where no node of the host has.
const NumaCores* home_of(const Graph& graph, const std::vector<NumaCores>& nodes,
                         const Seat& seat) {
  const NumaCores* first = nullptr;
  for (const auto& node : nodes) {
    if (host_of(graph.system(), node.host_hash) != seat.host) continue;
    if (node.numa == graph.node(seat.node).numa) return &node;
    if (first == nullptr) first = &node;
  }
  return first;
}

void share_cores_of_gpus(const Graph& graph, std::vector<Seat>& seats) {
  const auto nodes = usable_nodes(graph.system());
  std::map<const NumaCores*, std::vector<Seat*>> homes;
  for (auto& seat : seats) homes[home_of(graph, nodes, seat)].push_back(&seat);
  for (const auto& [node, here] : homes)
    if (node != nullptr) share_cores(*node, here);
}

std::vector<NearNic> nics_of_gpu(const Graph& graph, const Paths& paths, int gpu) {
  std::vector<NearNic> nics;
  for (const int net : local_nets(graph, paths, gpu))
    nics.push_back({graph.node(net).name, paths.between(gpu, net).type});
  return nics;
}

void give_nics_to_gpus(const Graph& graph, std::vector<Seat>& seats) {
  std::vector<int> used;
  for (const auto& seat : seats) used.push_back(seat.node);
  const auto taken = build_graph(only_gpus(graph, used), graph.version());
  const Paths paths(taken);
  for (auto& seat : seats) {
    const auto gpu = taken.find(seat.gpu);
    if (gpu) seat.nics = nics_of_gpu(taken, paths, *gpu);
  }
}

Seats seats_of_gpus(const Graph& graph, int n) {
  Seats seats;
  auto gpus = gpus_by_bus(graph);
  gpus.resize(static_cast<std::size_t>(n));
  for (const int gpu : gpus) {
    const Node& node = graph.node(gpu);
    seats.all.push_back({.host = node.host, .node = gpu, .dev = node.gpu->dev, .gpu = node.name});
  }
  share_cores_of_gpus(graph, seats.all);
  give_nics_to_gpus(graph, seats.all);
  return seats;
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
void give_whole_nodes(const std::vector<NumaCores>& nodes, std::vector<Seat>& seats) {
  const auto n = seats.size();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    share_cores(nodes[i], {&seats[i * n / nodes.size()]});
}

void give_nics_to_nodes(const Graph& graph, std::vector<Seat>& seats) {
  const Paths paths(graph);
  std::map<int, std::size_t> turn;  // by memory node
  for (auto& seat : seats)
    for (const int cpu : graph.of(NodeKind::cpu)) {
      const int numa = graph.node(cpu).numa;
      if (seat.numas.empty() || numa != seat.numas.front()) continue;
      const auto nets = nearest(graph, paths, cpu, NodeKind::net);
      if (nets.empty()) continue;
      const int net = nets[turn[numa]++ % nets.size()];
      seat.nics = {{graph.node(net).name, paths.between(cpu, net).type}};
    }
}

Seats seats_of_cores(const Graph& graph, int n) {
  Seats seats;
  const auto nodes = usable_nodes(graph.system());
  seats.all.resize(static_cast<std::size_t>(n));
  if (n < static_cast<int>(nodes.size())) {
    give_whole_nodes(nodes, seats.all);
  } else {
    const auto counts = apportioned(nodes, n);
    std::size_t next = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      std::vector<Seat*> here;
      for (int k = 0; k < counts[i]; ++k) here.push_back(&seats.all[next++]);
      if (!here.empty()) share_cores(nodes[i], here);
    }
  }
  give_nics_to_nodes(graph, seats.all);
  return seats;
}

// Memory nodes with usable cores on hosts that have a rank; all of them where no rank has a GPU.
int numa_nodes_of(const Graph& graph, const std::vector<Seat>& seats) {
  const auto nodes = usable_nodes(graph.system());
  return static_cast<int>(std::ranges::count_if(nodes, [&](const NumaCores& node) {
    const int host = host_of(graph.system(), node.host_hash);
    return seats.front().node < 0 || std::ranges::count(seats, host, &Seat::host) > 0;
  }));
}

}  // namespace

int most_seats(const Graph& graph) {
  const auto gpus = graph.of(NodeKind::gpu).size();
  if (gpus > 0) return static_cast<int>(gpus);
  std::size_t cores = 0;
  for (const auto& node : cores_of(graph.system())) cores += node.cores.size();
  return static_cast<int>(cores);
}

Seats seats_of(const Graph& graph, int n) {
  auto seats = graph.of(NodeKind::gpu).empty() ? seats_of_cores(graph, n) : seats_of_gpus(graph, n);
  seats.numa_nodes = numa_nodes_of(graph, seats.all);
  for (const auto& seat : seats.all)
    for (const auto& core : seat.cores) seats.knows_cores = seats.knows_cores && core.logical >= 0;
  return seats;
}

}  // namespace linerate::topo
