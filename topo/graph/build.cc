// The nodes of a graph, from the tree of a system.
#include "topo/graph/blueprint.h"
#include "topo/graph/graph.h"
#include "topo/system/link_speed.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace linerate::topo {
namespace {

constexpr std::uint32_t kNvSwitch = 0x068000, kPowerLink = 0x068001;
constexpr std::uint32_t kDisplayClass = 0x03, kNetworkClass = 0x02;  // first byte

// Whether the tree goes on below a device: whatever is no GPU, NIC or NVSwitch counts as a switch.
bool is_switch(const PciDevice& device) {
  if (device.gpu || !device.nets.empty()) return false;
  const std::uint32_t base = device.class_code >> 16;
  return device.class_code != kNvSwitch && device.class_code != kPowerLink &&
         base != kDisplayClass && base != kNetworkClass;
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
