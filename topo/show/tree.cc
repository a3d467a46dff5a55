// Makes branches of the folded PCI trees of every host; text_layout.h draws them.
#include "topo/show/device_text.h"
#include "topo/show/facts.h"
#include "topo/show/text_layout.h"
#include "topo/show/views.h"
#include "topo/system/links.h"

#include <fmt/format.h>

namespace linerate::topo {
namespace {

Tone tone_of(const PciDevice& device, Tone healthy) {
  return is_degraded(device) ? Tone::bad : healthy;
}

// Of its own link and those of the switches that are folded into it.
void add_link(Branch& branch, const PciSubtree& subtree) {
  const PciDevice& device = *subtree.device;
  branch.facts.push_back({pcie_text(device), tone_of(device, Tone::plain)});
  branch.facts.push_back({text_of(device.bus_id), Tone::dim});
  for (const auto* bridge : subtree.above) {
    const bool narrower = pci_gbps(bridge->link) < pci_gbps(device.link);
    const auto link = is_degraded(*bridge) || narrower ? ", " + pcie_text(*bridge) : "";
    branch.facts.push_back({fmt::format("behind switch {}{}", text_of(bridge->bus_id), link),
                            tone_of(*bridge, narrower ? Tone::plain : Tone::dim)});
  }
}

class SystemTree {
 public:
  explicit SystemTree(const Graph& graph) : graph_(graph), facts_(graph) {}

  Branch root() const {
    const auto name = plain_text(graph_.system().name), source = plain_text(graph_.system().source);
    Branch root{.label = !name.empty()     ? name
                         : !source.empty() ? source
                                           : "system",
                .tone = Tone::strong};
    if (!name.empty() && !source.empty()) root.facts.push_back({source});
    root.facts.push_back({summary_text(facts_)});
    add_hosts(root.children);
    if (!graph_.of(NodeKind::nvs).empty())
      root.children.push_back({nvswitch_label(facts_), Tone::strong, {{nvswitch_text(facts_)}}});
    add_unseen(root.children);
    return root;
  }

 private:
  void add_hosts(std::vector<Branch>& to) const {
    for (const auto& group : facts_.identical_hosts()) {
      if (facts_.hosts() == 1) return add_host(to, group.front());
      to.push_back({hosts_text(group), Tone::strong});
      add_host(to.back().children, group.front());
    }
  }

  void add_host(std::vector<Branch>& to, int host) const {
    for (const auto& tree : facts_.pci_trees(host)) to.push_back(cpu_branch(tree));
    const auto links = processor_link_texts(facts_, host);
    if (links.empty()) return;
    Branch& between = to.emplace_back(Branch{"Between CPUs", Tone::strong});
    for (const auto& text : links) between.facts.push_back({text});
  }

  Branch cpu_branch(const CpuTree& tree) const {
    const Cpu& cpu = *graph_.node(tree.cpu).cpu;
    Branch branch{facts_.name(tree.cpu), Tone::strong, {{cpu_text(cpu)}}};
    if (cpu.package >= 0) branch.facts.push_back({fmt::format("socket {}", cpu.package)});
    if (!cpu.affinity.empty())
      branch.facts.push_back({fmt::format("cores {}", cores_text(cpu.affinity))});
    for (const auto& subtree : tree.subtrees) add_subtree(branch.children, subtree);
    return branch;
  }

  void add_subtree(std::vector<Branch>& to, const PciSubtree& subtree) const {
    if (subtree.gpu >= 0) {
      to.push_back(gpu_branch(subtree));
    } else if (!subtree.is_switch()) {
      add_ports(to, subtree);
    } else {
      to.push_back({"PCI switch", Tone::dim});
      add_link(to.back(), subtree);
      for (const auto& below : subtree.below) add_subtree(to.back().children, below);
    }
  }

  Branch gpu_branch(const PciSubtree& subtree) const {
    const Gpu& gpu = *graph_.node(subtree.gpu).gpu;
    Branch branch{facts_.name(subtree.gpu), Tone::gpu, {{gpu_text(gpu)}}};
    if (const auto text = nvlinks_text(facts_, subtree.gpu); !text.empty())
      branch.facts.push_back({text, lacks_nvlinks(gpu) ? Tone::bad : Tone::plain});
    if (const auto text = c2c_text(gpu); !text.empty()) branch.facts.push_back({text});
    add_link(branch, subtree);
    return branch;
  }

  Branch port_branch(int port) const {
    const Net& net = *graph_.node(port).net;
    Branch branch{facts_.name(port), Tone::nic};
    if (!net.netdev.empty()) branch.facts.push_back({plain_text(net.netdev)});
    if (const auto speed = facts_.speed_text(net); !speed.empty()) branch.facts.push_back({speed});
    if (!net.state.empty())
      branch.facts.push_back({plain_text(net.state), is_up(net) ? Tone::plain : Tone::bad});
    if (!facts_.nccl_takes(net)) branch.facts.push_back({std::string(kLeftOut), Tone::dim});
    return branch;
  }

  // The ports of one device stand below it; one alone stands for it.
  void add_ports(std::vector<Branch>& to, const PciSubtree& subtree) const {
    const bool alone = subtree.ports.size() == 1 || subtree.device == nullptr;
    if (!alone) {
      to.push_back({"NIC", Tone::nic});
      add_link(to.back(), subtree);
    }
    auto& place = alone ? to : to.back().children;
    for (const int port : subtree.ports) {
      place.push_back(port_branch(port));
      if (subtree.device == nullptr)
        place.back().facts.push_back({"place on the bus not known", Tone::dim});
      else if (alone)
        add_link(place.back(), subtree);
    }
  }

  void add_unseen(std::vector<Branch>& to) const {
    if (graph_.system().unseen.empty()) return;
    Branch& unseen = to.emplace_back(Branch{"Not seen", Tone::strong});
    for (const auto& sentence : graph_.system().unseen)
      unseen.children.push_back({.facts = {{plain_text(sentence)}}});
  }

  const Graph& graph_;
  Facts facts_;
};

}  // namespace

std::string tree_text(const Graph& graph, const TreeOptions& options) {
  return outline_text(SystemTree(graph).root(), options);
}

}  // namespace linerate::topo
