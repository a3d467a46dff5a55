// See tree.h.
#include "topo/show/tree.h"

#include "topo/show/alike.h"
#include "topo/show/bus_tree.h"
#include "topo/show/fabric_words.h"
#include "topo/show/plain_text.h"
#include "topo/show/words.h"
#include "topo/system/link_speed.h"
#include "topo/system/port_use.h"

#include <fmt/format.h>

namespace linerate::topo {
namespace {

class SystemTree {
 public:
  explicit SystemTree(const Graph& graph) : graph_(graph), use_(graph.system()) {}

  Branch root() const;

 private:
  void add_hosts(std::vector<Branch>& to) const;
  void add_host(std::vector<Branch>& to, int host) const;
  Branch cpu_branch(const CpuTree& tree) const;
  void add_twig(std::vector<Branch>& to, const Twig& twig) const;
  Branch gpu_branch(const Twig& twig) const;
  Branch port_branch(int port) const;
  void add_ports(std::vector<Branch>& to, const Twig& twig) const;
  void add_unseen(std::vector<Branch>& to) const;

  const Graph& graph_;
  PortUse use_;
};

Tone tone_of(const PciDevice& device, Tone healthy) {
  return is_degraded(device) ? Tone::bad : healthy;
}

// Of its own link and those of the switches that are folded into it.
void add_link(Branch& branch, const Twig& twig) {
  const PciDevice& device = *twig.device;
  branch.facts.push_back({pcie_words(device), tone_of(device, Tone::plain)});
  branch.facts.push_back({text_of(device.bus_id), Tone::dim});
  for (const auto* bridge : twig.above) {
    const bool narrower = pci_gbps(bridge->link) < pci_gbps(device.link);
    const auto link = is_degraded(*bridge) || narrower ? ", " + pcie_words(*bridge) : "";
    branch.facts.push_back({fmt::format("behind switch {}{}", text_of(bridge->bus_id), link),
                            tone_of(*bridge, narrower ? Tone::plain : Tone::dim)});
  }
}

Branch SystemTree::root() const {
  const auto name = plain_text(graph_.system().name), source = plain_text(graph_.system().source);
  Branch root{.label = !name.empty()     ? name
                       : !source.empty() ? source
                                         : "system",
              .tone = Tone::strong};
  if (!name.empty() && !source.empty()) root.facts.push_back({source});
  root.facts.push_back({summary_words(graph_)});
  add_hosts(root.children);
  if (!graph_.of(NodeKind::nvs).empty())
    root.children.push_back({nvswitch_label(graph_), Tone::strong, {{nvswitch_words(graph_)}}});
  add_unseen(root.children);
  return root;
}

void SystemTree::add_hosts(std::vector<Branch>& to) const {
  for (const auto& group : alike_hosts(graph_)) {
    if (host_count(graph_) == 1) return add_host(to, group.front());
    to.push_back({group_words(group), Tone::strong});
    add_host(to.back().children, group.front());
  }
}

void SystemTree::add_host(std::vector<Branch>& to, int host) const {
  for (const auto& tree : bus_trees(graph_, host)) to.push_back(cpu_branch(tree));
  const auto links = processor_link_words(graph_, host);
  if (links.empty()) return;
  Branch& between = to.emplace_back(Branch{"Between CPUs", Tone::strong});
  for (const auto& words : links) between.facts.push_back({words});
}

Branch SystemTree::cpu_branch(const CpuTree& tree) const {
  const Cpu& cpu = *graph_.node(tree.cpu).cpu;
  Branch branch{name_on_host(graph_, tree.cpu), Tone::strong, {{cpu_words(cpu)}}};
  if (cpu.package >= 0) branch.facts.push_back({fmt::format("socket {}", cpu.package)});
  if (!cpu.affinity.empty())
    branch.facts.push_back({fmt::format("cores {}", core_words(cpu.affinity))});
  for (const auto& twig : tree.twigs) add_twig(branch.children, twig);
  return branch;
}

void SystemTree::add_twig(std::vector<Branch>& to, const Twig& twig) const {
  if (twig.gpu >= 0) {
    to.push_back(gpu_branch(twig));
  } else if (!twig.is_switch()) {
    add_ports(to, twig);
  } else {
    to.push_back({"PCI switch", Tone::dim});
    add_link(to.back(), twig);
    for (const auto& below : twig.below) add_twig(to.back().children, below);
  }
}

Branch SystemTree::gpu_branch(const Twig& twig) const {
  const Gpu& gpu = *graph_.node(twig.gpu).gpu;
  Branch branch{name_on_host(graph_, twig.gpu), Tone::gpu, {{gpu_words(gpu)}}};
  if (const auto words = nvlink_words(graph_, twig.gpu); !words.empty())
    branch.facts.push_back({words, lacks_nvlinks(gpu) ? Tone::bad : Tone::plain});
  if (const auto words = c2c_words(gpu); !words.empty()) branch.facts.push_back({words});
  add_link(branch, twig);
  return branch;
}

Branch SystemTree::port_branch(int port) const {
  const Net& net = *graph_.node(port).net;
  Branch branch{name_on_host(graph_, port), Tone::nic};
  if (!net.netdev.empty()) branch.facts.push_back({plain_text(net.netdev)});
  const bool used = use_.takes(net);
  const auto speed = used ? speed_words_of(net) : speed_words_of_unused(net);
  if (!speed.empty()) branch.facts.push_back({speed});
  if (!net.state.empty())
    branch.facts.push_back({plain_text(net.state), is_down(net) ? Tone::bad : Tone::plain});
  if (!used) branch.facts.push_back({std::string(kLeftOut), Tone::dim});
  return branch;
}

// The ports of one device stand below it; one alone stands for it.
void SystemTree::add_ports(std::vector<Branch>& to, const Twig& twig) const {
  const bool alone = twig.ports.size() == 1 || twig.device == nullptr;
  if (!alone) {
    to.push_back({"NIC", Tone::nic});
    add_link(to.back(), twig);
  }
  auto& place = alone ? to : to.back().children;
  for (const int port : twig.ports) {
    place.push_back(port_branch(port));
    if (twig.device == nullptr)
      place.back().facts.push_back({"place on the bus not known", Tone::dim});
    else if (alone)
      add_link(place.back(), twig);
  }
}

void SystemTree::add_unseen(std::vector<Branch>& to) const {
  if (graph_.system().unseen.empty()) return;
  Branch& unseen = to.emplace_back(Branch{"Not seen", Tone::strong});
  for (const auto& sentence : graph_.system().unseen)
    unseen.children.push_back({.facts = {{plain_text(sentence)}}});
}

}  // namespace

std::string tree_text(const Graph& graph, const TreeOptions& options) {
  return outline_text(SystemTree(graph).root(), options);
}

}  // namespace linerate::topo
