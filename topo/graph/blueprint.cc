#include "topo/graph/blueprint.h"

#include "topo/system/links.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace linerate::topo {

int Blueprint::add(Node node, int above) {
  nodes.push_back(std::move(node));
  up.push_back(above);
  return static_cast<int>(nodes.size()) - 1;
}

int Blueprint::at_bus(NodeKind kind, int host, const BusId& id) const {
  const auto found = std::ranges::find_if(nodes, [&](const Node& node) {
    return node.kind == kind && node.host == host && node.device != nullptr && node.bus_id == id;
  });
  return found == nodes.end() ? -1 : static_cast<int>(found - nodes.begin());
}

int Blueprint::cpu_of(int n) const {
  while (n >= 0 && at(n).kind != NodeKind::cpu) n = up_of(n);
  return n;
}

void Blueprint::connect(int from, int to, LinkKind kind, double gbps) {
  auto& links = at(from).links;
  auto link = std::ranges::find_if(
      links, [&](const Link& known) { return known.to == to && known.kind == kind; });
  if (link == links.end()) link = links.insert(links.end(), {.to = to, .kind = kind});
  link->gbps += gbps;
  for (; link != links.begin() && std::prev(link)->gbps < link->gbps; --link)
    std::iter_swap(link, std::prev(link));
}

void Blueprint::join(int a, int b, LinkKind kind, double gbps) {
  connect(a, b, kind, gbps);
  connect(b, a, kind, gbps);
}

void sort_links(Blueprint& plan) {
  for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
    auto& links = plan.nodes[n].links;
    const auto up = std::ranges::find(links, plan.up[n], &Link::to);
    if (up != links.end()) std::rotate(up, up + 1, links.end());
  }
}

namespace {

// 4 or 5: the generation of the Broadcom switch whose upper (level 0) or lower (1) half a device
// is; 0: none. Ids from getBcmGen in NCCL's src/graph/topo.cc: vendor 1000, device c010 or c030,
// and the subsystem device tells the level of Gen5.
int broadcom_generation(const PciDevice& device, std::uint32_t level) {
  constexpr std::uint32_t kVendor = 0x1000, kGen4 = 0xc010, kGen5 = 0xc030, kFamily = 0xf000;
  constexpr std::uint32_t kGen4Subsystem = 0xa000, kLevel = 0x1000;
  if (device.vendor != kVendor || device.subsystem_vendor != kVendor) return 0;
  const std::uint32_t subsystem = device.subsystem_device & kFamily;
  if (device.device == kGen4 && subsystem == kGen4Subsystem) return 4;
  return device.device == kGen5 && subsystem == level * kLevel ? 5 : 0;
}

int generation(const Blueprint& plan, int n, std::uint32_t level) {
  const Node& node = plan.at(n);
  if (node.kind != NodeKind::pci || node.device == nullptr) return 0;
  const int found = broadcom_generation(*node.device, level);
  return found == 5 && !plan.rules.flattens_gen5 ? 0 : found;
}

// The links of `lower` become links of `upper`; nothing is left of `lower` but its number.
void absorb(Blueprint& plan, int upper, int lower) {
  for (const Link& link : plan.at(lower).links) {
    if (link.to == upper) continue;
    plan.at(upper).links.push_back(link);
    auto& back = plan.at(link.to).links;
    const auto found = std::ranges::find(back, lower, &Link::to);
    if (found != back.end()) found->to = upper;
    auto& above = plan.up[static_cast<std::size_t>(link.to)];
    if (above == lower) above = upper;
  }
  plan.at(lower).links.clear();
}

std::vector<int> lower_halves(const Blueprint& plan, int upper, int gen) {
  std::vector<int> found;
  for (const Link& link : plan.at(upper).links)
    if (link.kind == LinkKind::pci && plan.up_of(link.to) == upper &&
        generation(plan, link.to, 1) == gen)
      found.push_back(link.to);
  return found;
}

// Numbers of what is left, in the old order.
void remove(Blueprint& plan, const std::vector<bool>& gone) {
  std::vector<int> number(plan.nodes.size(), -1);
  Blueprint left{.rules = plan.rules, .version = plan.version};
  for (std::size_t n = 0; n < plan.nodes.size(); ++n)
    if (!gone[n]) number[n] = left.add(std::move(plan.nodes[n]), plan.up[n]);
  const auto renumbered = [&](int n) { return n < 0 ? n : number[static_cast<std::size_t>(n)]; };
  for (auto& node : left.nodes)
    for (auto& link : node.links) link.to = renumbered(link.to);
  for (auto& above : left.up) above = renumbered(above);
  plan = std::move(left);
}

}  // namespace

void flatten_switches(Blueprint& plan) {
  std::vector<bool> gone(plan.nodes.size(), false);
  for (int n = 0; n < std::ssize(plan.nodes); ++n) {
    const int gen = gone[static_cast<std::size_t>(n)] ? 0 : generation(plan, n, 0);
    if (gen == 0) continue;
    const auto lower = lower_halves(plan, n, gen);
    std::erase_if(plan.at(n).links,
                  [&](const Link& link) { return std::ranges::count(lower, link.to) > 0; });
    for (const int half : lower) {
      absorb(plan, n, half);
      gone[static_cast<std::size_t>(half)] = true;
    }
  }
  remove(plan, gone);
}

namespace {

// The node at the far end of an NVLink; -1: not in this system. Where nobody tells the kind of the
// target, a bus id of a GPU is one, and all else a switch.
int target_of(Blueprint& plan, int gpu, const NvLink& nvlink) {
  if (nvlink.tclass == kPowerBridgeClass) return plan.cpu_of(gpu);
  const bool is_gpu = is_gpu_class(nvlink.tclass);
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
      const bool has_back = std::ranges::any_of(
          back, [&](const Link& other) { return other.to == n && other.kind == link.kind; });
      if (!has_back) plan.connect(link.to, n, link.kind, link.gbps);
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
