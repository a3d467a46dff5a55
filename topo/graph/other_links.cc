// Links that devices tell beside the PCI tree.
#include "topo/graph/blueprint.h"
#include "topo/system/link_speed.h"

#include <algorithm>
#include <iterator>

namespace linerate::topo {
namespace {

constexpr std::uint32_t kPowerBridge = 0x068001;  // NVLink to a POWER processor
constexpr std::uint32_t kDisplay = 0x03;          // first byte of a GPU's class

// The node at the far end of an NVLink; -1: not in this system. Where nobody tells the kind of the
// target, a bus id of a GPU is one, and all else a switch.
int target_of(Blueprint& plan, int gpu, const NvLink& nvlink) {
  if (nvlink.tclass == kPowerBridge) return plan.cpu_of(gpu);
  const bool is_gpu = nvlink.tclass >> 16 == kDisplay;
  const auto bus_id = parse_bus_id(nvlink.target);
  const int peer = bus_id ? plan.at_bus(NodeKind::gpu, plan.at(gpu).host, *bus_id) : -1;
  if (is_gpu || (nvlink.tclass == 0 && peer >= 0)) return peer == gpu ? -1 : peer;
  const auto nvs = std::ranges::find(plan.nodes, NodeKind::nvs, &Node::kind);
  if (nvs != plan.nodes.end()) return static_cast<int>(nvs - plan.nodes.begin());
  return plan.add({.kind = NodeKind::nvs, .name = "NVS0"}, -1);
}

void link_peers(Blueprint& plan, int gpu) {
  const Gpu& device = *plan.at(gpu).gpu;
  const double one = nvlink_gbps(device, plan.version);
  for (const auto& nvlink : device.nvlinks) {
    const int target = nvlink.count > 0 ? target_of(plan, gpu, nvlink) : -1;
    if (target < 0) continue;
    plan.connect(gpu, target, LinkKind::nvl, nvlink.count * one);
    if (plan.at(target).kind != NodeKind::gpu)
      plan.connect(target, gpu, LinkKind::nvl, nvlink.count * one);
  }
}

void link_c2c(Blueprint& plan, int gpu) {
  const auto& c2c = plan.at(gpu).gpu->c2c;
  if (!c2c || c2c->count <= 0) return;
  const auto kind = plan.rules.c2c_link ? LinkKind::c2c : LinkKind::nvl;
  plan.join(gpu, plan.cpu_of(gpu), kind, c2c_gbps(*c2c));
}

void link_switches(Blueprint& plan, int pci) {
  for (const auto& peer : plan.at(pci).device->pci_peers) {
    const int other = plan.at_bus(NodeKind::pci, plan.at(pci).host, peer);
    if (other >= 0 && other != pci) plan.connect(pci, other, LinkKind::loc, kLocalGbps);
  }
}

// A link that only one end tells is one all the same.
void complete_pairs(Blueprint& plan) {
  for (int n = 0; n < std::ssize(plan.nodes); ++n)
    for (const Link link : std::vector<Link>(plan.at(n).links)) {
      const auto& back = plan.at(link.to).links;
      const bool told = std::ranges::any_of(
          back, [&](const Link& other) { return other.to == n && other.kind == link.kind; });
      if (!told) plan.connect(link.to, n, link.kind, link.gbps);
    }
}

void join_cpus(Blueprint& plan) {
  for (int a = 0; a < std::ssize(plan.nodes); ++a)
    for (int b = 0; b < std::ssize(plan.nodes); ++b) {
      const Node& from = plan.at(a);
      const Node& to = plan.at(b);
      if (a == b || from.kind != NodeKind::cpu || to.kind != NodeKind::cpu) continue;
      if (from.host == to.host)
        plan.connect(a, b, LinkKind::sys, cpu_link_gbps(*from.cpu, plan.version));
    }
}

template <typename Add>
void for_each_of(Blueprint& plan, NodeKind kind, const Add& add) {
  for (int n = 0; n < std::ssize(plan.nodes); ++n)
    if (plan.at(n).kind == kind) add(plan, n);
}

}  // namespace

void add_other_links(Blueprint& plan) {
  for_each_of(plan, NodeKind::gpu, link_peers);
  for_each_of(plan, NodeKind::gpu, link_c2c);
  if (plan.rules.links_switches) for_each_of(plan, NodeKind::pci, link_switches);
  complete_pairs(plan);
  flatten_switches(plan);
  join_cpus(plan);
}

}  // namespace linerate::topo
