#include "topo/place/cores.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace linerate::topo {
namespace {

// Whether the source told the core of every thread of the node; a node without threads has none.
bool tells_cores(const Cpu& cpu, const ThreadSet& threads) {
  std::size_t told = 0;
  for (const auto& core : cpu.core_threads) told += core.size();
  return told == threads.size();
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
  NumaCores node{.numa = cpu.numa, .host_hash = cpu.host_hash, .known = tells_cores(cpu, threads)};
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

}  // namespace linerate::topo
