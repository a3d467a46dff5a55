#include "topo/graph/graph.h"

#include "base/text.h"
#include "topo/graph/blueprint.h"
#include "topo/system/links.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ranges>
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
  const auto devs = std::views::values(found);
  return {devs.begin(), devs.end()};
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

namespace {

// Whether the tree goes on below a device: whatever is no GPU, NIC or NVSwitch counts as a switch.
bool is_switch(const PciDevice& device) {
  return !device.gpu && device.nets.empty() && device.class_code != kNvSwitchClass &&
         device.class_code != kPowerBridgeClass && !is_gpu_class(device.class_code) &&
         !is_nic_class(device.class_code);
}

// To GPUs, ports or other switches.
bool leads_on(const PciDevice& device) {
  bool found = false;
  walk(device, [&](const PciDevice& below, int) {
    found = found || below.gpu || !below.nets.empty() || !below.pci_peers.empty();
  });
  return found;
}

// NICs of one device are one node, and in older versions all functions of a device.
BusId nic_id(const BusId& id, const GraphRules& rules) {
  return {id.domain, id.bus, id.device, rules.merges_nic_functions ? std::uint8_t{0} : id.function};
}

}  // namespace

class GraphBuilder {
 public:
  GraphBuilder(System system, const NcclVersion& version) : hosts_(hosts_of(system)) {
    fill_numbers(system);
    system_ = std::make_shared<const System>(std::move(system));
    plan_.rules = graph_rules(version);
    plan_.version = version;
  }

  Graph build() && {
    for (const auto& cpu : system_->cpus) add_cpu(cpu);
    add_other_links(plan_);
    sort_links(plan_);
    name_nodes();
    Graph graph;
    graph.system_ = std::move(system_);
    graph.version_ = plan_.version;
    graph.nodes_ = std::move(plan_.nodes);
    index(graph);
    return graph;
  }

 private:
  void add_cpu(const Cpu& cpu) {
    const auto host = std::ranges::find(hosts_, cpu.host_hash) - hosts_.begin();
    const int n = plan_.add({.kind = NodeKind::cpu,
                             .name = fmt::format("CPU{}", cpu.numa),
                             .numa = cpu.numa,
                             .host = static_cast<int>(host),
                             .cpu = &cpu},
                            -1);
    for (const auto& device : cpu.devices) add_device(device, n);
    if (!cpu.nets.empty()) add_placeless_ports(cpu, n);
  }

  Node below(int above, NodeKind kind, std::string name) const {
    return {.kind = kind,
            .name = std::move(name),
            .numa = plan_.at(above).numa,
            .host = plan_.at(above).host};
  }

  Node of_device(int above, NodeKind kind, const PciDevice& device) const {
    Node node = below(above, kind, fmt::format("{} {}", name_of(kind), text_of(device.bus_id)));
    node.bus_id = device.bus_id;
    node.device = &device;
    return node;
  }

  void add_device(const PciDevice& device, int above) {
    if (device.gpu) return add_gpu(device, above);
    if (!device.nets.empty()) return add_nic(device, above);
    if (!is_switch(device) || !leads_on(device)) return;
    const int n = plan_.add(of_device(above, NodeKind::pci, device), above);
    for (const auto& child : device.children) add_device(child, n);
    attach(n, device, above);
  }

  // After what is below: the order of links follows that of their making.
  void attach(int n, const PciDevice& device, int above) {
    plan_.join(n, above, LinkKind::pci, pci_gbps(device.link));
  }

  void add_gpu(const PciDevice& device, int above) {
    Node node = of_device(above, NodeKind::gpu, device);
    node.gpu = &*device.gpu;
    node.name = fmt::format("GPU{}", device.gpu->dev);
    attach(plan_.add(std::move(node), above), device, above);
  }

  void add_nic(const PciDevice& device, int above) {
    const BusId id = nic_id(device.bus_id, plan_.rules);
    int nic = plan_.at_bus(NodeKind::nic, plan_.at(above).host, id);
    const bool known = nic >= 0;
    if (!known) nic = plan_.add(of_device(above, NodeKind::nic, device), above);
    plan_.at(nic).bus_id = id;
    for (const auto& net : device.nets) add_port(net, nic);
    if (!known) attach(nic, device, above);
  }

  void add_placeless_ports(const Cpu& cpu, int n) {
    const int nic = plan_.add(below(n, NodeKind::nic, fmt::format("NIC CPU{}", cpu.numa)), n);
    plan_.join(n, nic, LinkKind::pci, kLocalGbps);
    for (const auto& net : cpu.nets) add_port(net, nic);
  }

  void add_port(const Net& net, int nic) {
    const bool named = !net.name.empty();
    Node node = below(nic, NodeKind::net, named ? net.name : fmt::format("NET{}", net.dev));
    node.bus_id = plan_.at(nic).bus_id;
    node.device = plan_.at(nic).device;
    node.net = &net;
    node.gbps = net_gbps(net);
    plan_.join(plan_.add(std::move(node), -1), nic, LinkKind::net, net_gbps(net));
  }

  // No two nodes share a name: hosts are told where there are several, then ports, then numbers.
  void name_nodes() {
    std::set<std::string> taken;
    for (auto& node : plan_.nodes) {
      if (hosts_.size() > 1 && node.kind != NodeKind::nvs)
        node.name = fmt::format("h{}/{}", node.host, node.name);
      if (node.net != nullptr && taken.contains(node.name))
        node.name = fmt::format("{}:{}", node.name, node.net->port);
      const std::string base = node.name;
      for (int copy = 2; !taken.insert(node.name).second; ++copy)
        node.name = fmt::format("{}#{}", base, copy);
    }
  }

  static void index(Graph& graph) {
    constexpr auto kKinds = static_cast<std::size_t>(NodeKind::net) + 1;
    graph.of_kind_.resize(kKinds);
    for (int n = 0; n < std::ssize(graph.nodes_); ++n) {
      Node& node = graph.nodes_[static_cast<std::size_t>(n)];
      auto& same = graph.of_kind_[static_cast<std::size_t>(node.kind)];
      node.index = static_cast<int>(same.size());
      same.push_back(n);
    }
  }

  std::vector<std::uint64_t> hosts_;
  std::shared_ptr<const System> system_;
  Blueprint plan_;
};

Graph build_graph(System system, const NcclVersion& version) {
  return GraphBuilder(std::move(system), version).build();
}

}  // namespace linerate::topo
