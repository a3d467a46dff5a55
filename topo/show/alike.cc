// See alike.h.
#include "topo/show/alike.h"

#include "topo/graph/numbers.h"
#include "topo/show/plain_text.h"
#include "topo/system/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace linerate::topo {
namespace {

// A host's processors without what is its own alone.
System anonymous(const System& system, std::uint64_t host) {
  System alone;
  for (const auto& cpu : system.cpus)
    if (cpu.host_hash == host) alone.cpus.push_back(cpu);
  for (auto& cpu : alone.cpus) {
    cpu.host_hash = 0;
    for (auto& net : cpu.nets) net.guid = 0;
  }
  walk_devices(alone, [](Cpu&, PciDevice& device, int) {
    if (device.gpu) device.gpu->rank = -1;
    for (auto& net : device.nets) net.guid = 0;
  });
  return alone;
}

}  // namespace

std::vector<HostGroup> alike_hosts(const Graph& graph) {
  std::vector<HostGroup> groups;
  std::vector<System> looks;
  const auto hashes = hosts_of(graph.system());
  for (std::size_t host = 0; host < hashes.size(); ++host) {
    auto look = anonymous(graph.system(), hashes[host]);
    const auto found = std::ranges::find(looks, look) - looks.begin();
    if (found == std::ssize(looks)) {
      looks.push_back(std::move(look));
      groups.emplace_back();
    }
    groups[static_cast<std::size_t>(found)].push_back(static_cast<int>(host));
  }
  return groups;
}

int host_count(const Graph& graph) { return static_cast<int>(hosts_of(graph.system()).size()); }

std::string name_on_host(const Graph& graph, int node) {
  const auto& name = graph.node(node).name;
  const auto prefix = fmt::format("h{}/", graph.node(node).host);
  const bool prefixed = name.starts_with(prefix) && host_count(graph) > 1;
  return plain_text(prefixed ? name.substr(prefix.size()) : name);
}

std::string group_words(const HostGroup& group) {
  std::vector<std::string> names;
  for (const int host : group) names.push_back(fmt::format("h{}", host));
  if (group.size() == 1) return names.front();
  return fmt::format("{} hosts alike: {}", group.size(), names_in_short(names));
}

std::vector<int> nodes_on(const Graph& graph, NodeKind kind, int host) {
  std::vector<int> found;
  for (const int n : graph.of(kind))
    if (graph.node(n).host == host) found.push_back(n);
  return found;
}

}  // namespace linerate::topo
