#include "topo/graph/graph.h"

#include "base/text.h"
#include "topo/system/system.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <set>
#include <utility>

namespace linerate::topo {
// Names and look-up.

namespace {

constexpr std::array<std::string_view, 6> kNodeKinds{"GPU", "PCI", "NVS", "CPU", "NIC", "NET"};
constexpr std::array<std::string_view, 6> kLinkKinds{"LOC", "NVL", "C2C", "PCI", "SYS", "NET"};

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// What a person may mean: GPUs, ports and switches, then the devices that a port is on.
bool is_called(const Node& node, std::string_view name) {
  if (same_but_for_case(node.name, name)) return true;
  const auto id = parse_bus_id(name);
  return id && node.device != nullptr && node.kind != NodeKind::net && node.bus_id == *id;
}

}  // namespace

std::string_view name_of(NodeKind kind) { return kNodeKinds.at(static_cast<std::size_t>(kind)); }

std::string_view name_of(LinkKind kind) { return kLinkKinds.at(static_cast<std::size_t>(kind)); }

std::span<const int> Graph::of(NodeKind kind) const {
  return of_kind_.at(static_cast<std::size_t>(kind));
}

Result<int> Graph::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(nodes_, [&](const Node& node) { return is_called(node, name); });
  if (found != nodes_.end()) return static_cast<int>(found - nodes_.begin());
  std::vector<std::string_view> names;
  for (const auto kind : {NodeKind::gpu, NodeKind::net, NodeKind::nvs, NodeKind::cpu})
    for (const int n : of(kind)) names.push_back(node(n).name);
  return Failure{unknown_choice("device", name, names)};
}

namespace {

// Devices of one kind on one host: those with a number keep it.
void number(const std::vector<int*>& devs) {
  std::set<int> taken;
  for (const int* dev : devs) taken.insert(*dev);
  int next = 0;
  for (int* dev : devs) {
    if (*dev >= 0) continue;
    while (taken.contains(next)) ++next;
    *dev = next++;
  }
}

std::vector<int*> gpus_by_bus(System& system, std::uint64_t host) {
  std::vector<std::pair<BusId, int*>> found;
  walk_devices(system, [&](Cpu& cpu, PciDevice& device, int) {
    if (cpu.host_hash == host && device.gpu) found.emplace_back(device.bus_id, &device.gpu->dev);
  });
  std::ranges::stable_sort(found, {}, &std::pair<BusId, int*>::first);
  std::vector<int*> devs;
  std::ranges::transform(found, std::back_inserter(devs), &std::pair<BusId, int*>::second);
  return devs;
}

std::vector<int*> ports(System& system, std::uint64_t host) {
  std::vector<int*> devs;
  for (auto& cpu : system.cpus) {
    if (cpu.host_hash != host) continue;
    const auto take = [&](auto& nets) {
      for (auto& net : nets) devs.push_back(&net.dev);
    };
    for (auto& device : cpu.devices) walk(device, [&](PciDevice& below, int) { take(below.nets); });
    take(cpu.nets);
  }
  return devs;
}

}  // namespace

std::vector<std::uint64_t> hosts_of(const System& system) {
  std::vector<std::uint64_t> hosts;
  for (const auto& cpu : system.cpus)
    if (std::ranges::count(hosts, cpu.host_hash) == 0) hosts.push_back(cpu.host_hash);
  return hosts;
}

void fill_numbers(System& system) {
  for (const auto host : hosts_of(system)) {
    number(gpus_by_bus(system, host));
    number(ports(system, host));
  }
}

}  // namespace linerate::topo
