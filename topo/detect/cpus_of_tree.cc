#include "topo/detect/cpus_of_tree.h"

#include "topo/detect/sysfs_text.h"
#include "topo/detect/tree_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace linerate::topo {
namespace {

namespace fs = std::filesystem;

// "480K", "32M" of a cache's size file.
std::uint64_t bytes_in(const std::string& text) {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{}) return 0;
  const char unit = rest == end ? '\0' : *rest;
  return unit == 'K' ? count << 10 : unit == 'M' ? count << 20 : unit == 'G' ? count << 30 : count;
}

// Adds the cores and last-level caches of the threads to `cpu`.
void count_cores(const fs::path& folder, const ThreadSet& threads, Cpu& cpu) {
  std::map<std::pair<std::int64_t, std::string>, std::vector<int>> cores;
  std::set<std::string> caches;  // by the threads that share them
  for (const int thread : threads) {
    const auto place = folder / fmt::format("cpu{}", thread);
    const auto package = number_in(place / "topology/physical_package_id");
    const auto siblings = text_in(place / "topology/thread_siblings_list");
    if (package && cpu.package < 0) cpu.package = static_cast<int>(*package);
    if (!siblings.empty()) cores[{package.value_or(-1), siblings}].push_back(thread);
    const auto l3 = place / "cache/index3";
    if (number_in(l3 / "level") == 3 && caches.insert(text_in(l3 / "shared_cpu_list")).second)
      cpu.l3_bytes += bytes_in(text_in(l3 / "size"));
  }
  cpu.threads = static_cast<int>(threads.size());
  cpu.cores = static_cast<int>(cores.size());
  for (const auto& core : cores) cpu.core_threads.push_back(core.second);
  std::ranges::sort(cpu.core_threads);
}

struct NumaNode {
  int number = 0;
  ThreadSet threads;
};

// Nodes with threads: those of memory alone, of GPUs for instance, are left out.
std::vector<NumaNode> numa_nodes(const fs::path& folder) {
  std::vector<NumaNode> nodes;
  for (const auto& name : names_in(folder)) {
    constexpr std::string_view kPrefix = "node";
    NumaNode node;
    if (!name.starts_with(kPrefix)) continue;
    const char* const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + kPrefix.size(), end, node.number);
    if (error != std::errc{} || rest != end) continue;
    node.threads = threads_in_mask(text_in(folder / name / "cpumap"));
    if (!node.threads.empty()) nodes.push_back(std::move(node));
  }
  std::ranges::sort(nodes, {}, &NumaNode::number);
  return nodes;
}

}  // namespace

std::vector<Cpu> cpus_of_tree(const fs::path& root, std::vector<std::string>& unseen) {
  const auto folder = root / "sys/devices/system";
  auto nodes = numa_nodes(folder / "node");
  if (nodes.empty()) {
    unseen.emplace_back(
        "No memory nodes: /sys/devices/system/node is not there or names no processors; the "
        "machine counts as one.");
    auto threads = threads_in_list(text_in(folder / "cpu/online"));
    if (threads.empty()) return {};
    nodes.push_back({.threads = std::move(threads)});
  }
  const auto described = cpu_of_cpuinfo(text_in(root / "proc/cpuinfo"));
  if (described.arch == CpuArch::unknown)
    unseen.emplace_back("No model of the processors: /proc/cpuinfo is not there or names none.");
  std::vector<Cpu> cpus;
  for (const auto& node : nodes) {
    cpus.push_back(described);
    cpus.back().numa = node.number;
    cpus.back().affinity = mask_text(node.threads);
    count_cores(folder / "cpu", node.threads, cpus.back());
  }
  return cpus;
}

}  // namespace linerate::topo
