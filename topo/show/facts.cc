#include "topo/show/facts.h"

#include "base/text.h"
#include "topo/graph/graph.h"
#include "topo/show/device_text.h"
#include "topo/show/text_layout.h"
#include "topo/system/links.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace linerate::topo {
namespace {

// A host's processors without what is its own alone.
System anonymous(const System& system, std::uint64_t host) {
  System alone;
  for (const auto& cpu : system.cpus)
    if (cpu.host_hash == host) alone.cpus.push_back(cpu);
  for (auto& cpu : alone.cpus) cpu.host_hash = 0;
  walk_devices(alone, [](Cpu&, PciDevice& device, int) {
    if (device.gpu) device.gpu->rank = -1;
  });
  walk_ports(alone, [](std::vector<Net>& nets) {
    for (auto& net : nets) net.guid = 0;
  });
  return alone;
}

}  // namespace

std::vector<HostGroup> Facts::identical_hosts() const {
  std::vector<HostGroup> groups;
  std::vector<System> looks;
  const auto hashes = hosts_of(graph_.system());
  for (std::size_t host = 0; host < hashes.size(); ++host) {
    auto look = anonymous(graph_.system(), hashes[host]);
    const auto found = std::ranges::find(looks, look) - looks.begin();
    if (found == std::ssize(looks)) {
      looks.push_back(std::move(look));
      groups.emplace_back();
    }
    groups[static_cast<std::size_t>(found)].push_back(static_cast<int>(host));
  }
  return groups;
}

int node_of(const Graph& graph, const void* part) {
  const auto nodes = graph.nodes();
  const auto found = std::ranges::find_if(nodes, [&](const Node& node) {
    return node.gpu == part || node.net == part || node.cpu == part;
  });
  return found == nodes.end() ? -1 : static_cast<int>(found - nodes.begin());
}

std::string Facts::name(int node) const {
  const auto& name = graph_.node(node).name;
  const auto prefix = fmt::format("h{}/", graph_.node(node).host);
  const bool prefixed = name.starts_with(prefix) && hosts_ > 1;
  return plain_text(prefixed ? name.substr(prefix.size()) : name);
}

std::string hosts_text(const HostGroup& group) {
  std::vector<std::string> names;
  for (const int host : group) names.push_back(fmt::format("h{}", host));
  if (group.size() == 1) return names.front();
  return fmt::format("{} hosts alike: {}", group.size(), names_in_short(names));
}

std::string Facts::names(const std::vector<int>& nodes) const {
  std::vector<std::string> names;
  for (const int node : nodes) names.push_back(name(node));
  return names_in_short(names);
}

std::vector<int> Facts::devices(int host) const {
  std::vector<int> found;
  for (const auto kind : {NodeKind::gpu, NodeKind::net})
    for (const int n : graph_.of(kind))
      if (host < 0 || graph_.node(n).host == host) found.push_back(n);
  return found;
}

std::string Facts::speed_text(const Net& port) const {
  const bool matters = nccl_takes(port) || port.speed_mbps > 0;
  return matters ? topo::speed_text(port) : plain_text(port.link_layer);
}

std::vector<int> Facts::nodes_on(NodeKind kind, int host) const {
  std::vector<int> found;
  for (const int n : graph_.of(kind))
    if (graph_.node(n).host == host) found.push_back(n);
  return found;
}

namespace {

constexpr std::uint32_t kUnseenDomain = 0xfffffff;  // of NCCL's "fffffff:ff:ff.0"

// Older versions of NCCL count C2C as NVLink, in one link with what NVLinks there are.
std::vector<NvLinks> counted_nvlinks(const Graph& graph, int gpu) {
  const Gpu& device = *graph.node(gpu).gpu;
  const double one = nvlink_gbps(device, graph.version());
  std::vector<NvLinks> found;
  for (const auto& link : graph.node(gpu).links) {
    const bool is_c2c = graph.node(link.to).kind == NodeKind::cpu && device.c2c;
    if (link.kind == LinkKind::nvl && !is_c2c)
      found.push_back({link.to, static_cast<int>(std::lround(link.gbps / one)), link.gbps});
  }
  std::ranges::sort(found, {}, &NvLinks::to);
  return found;
}

}  // namespace

Facts::Facts(const Graph& graph)
    : graph_(graph),
      ports_(graph.system()),
      hosts_(static_cast<int>(hosts_of(graph.system()).size())) {
  for (const int gpu : graph.of(NodeKind::gpu)) nvlinks_.push_back(counted_nvlinks(graph, gpu));
}

const std::vector<NvLinks>& Facts::nvlinks(int gpu) const {
  return nvlinks_[static_cast<std::size_t>(graph_.node(gpu).index)];
}

int Facts::links_to_switches(int gpu) const {
  int count = 0;
  for (const auto& links : nvlinks(gpu))
    if (graph_.node(links.to).kind == NodeKind::nvs) count += links.count;
  return count;
}

int Facts::nvlinks_between(int a, int b) const {
  int direct = 0;
  for (const auto& links : nvlinks(a))
    if (links.to == b) direct += links.count;
  return direct > 0 ? direct : std::min(links_to_switches(a), links_to_switches(b));
}

int nvswitches_of(const Gpu& gpu) {
  std::set<std::string_view> chips;
  for (const auto& link : gpu.nvlinks) {
    const auto id = parse_bus_id(link.target);
    const bool seen = id && id->domain != kUnseenDomain;
    if (link.tclass == kNvSwitchClass && link.count > 0 && seen) chips.insert(link.target);
  }
  return static_cast<int>(chips.size());
}

int nvlink_capacity(const Gpu& gpu) {
  std::uint32_t capacity = 0;
  for (const auto& link : gpu.nvlinks) capacity = std::max(capacity, link.capacity);
  return static_cast<int>(capacity);
}

namespace {

std::vector<int> known_ports(const Graph& graph, const std::vector<Net>& nets) {
  std::vector<int> known;
  for (const auto& net : nets)
    if (const int n = node_of(graph, &net); n >= 0) known.push_back(n);
  return known;
}

std::vector<PciSubtree> subtrees_of(const Graph& graph, const std::vector<PciDevice>& devices);

PciSubtree subtree_of(const Graph& graph, const PciDevice& device) {
  PciSubtree subtree{.device = &device};
  if (device.gpu) subtree.gpu = node_of(graph, &*device.gpu);
  if (!device.gpu) subtree.ports = known_ports(graph, device.nets);
  if (!subtree.is_switch()) return subtree;
  subtree.below = subtrees_of(graph, device.children);
  if (subtree.below.size() != 1) return subtree;
  PciSubtree only = std::move(subtree.below.front());
  only.above.insert(only.above.begin(), &device);
  return only;
}

std::vector<PciSubtree> subtrees_of(const Graph& graph, const std::vector<PciDevice>& devices) {
  std::vector<PciSubtree> found;
  for (const auto& device : devices) {
    PciSubtree subtree = subtree_of(graph, device);
    if (!subtree.is_switch() || !subtree.below.empty()) found.push_back(std::move(subtree));
  }
  return found;
}

}  // namespace

std::vector<CpuTree> Facts::pci_trees(int host) const {
  std::vector<CpuTree> trees;
  for (const int cpu : nodes_on(NodeKind::cpu, host)) {
    const Cpu& processor = *graph_.node(cpu).cpu;
    auto& tree = trees.emplace_back(CpuTree{cpu, subtrees_of(graph_, processor.devices)});
    PciSubtree placeless{.ports = known_ports(graph_, processor.nets)};
    if (!placeless.ports.empty()) tree.subtrees.push_back(std::move(placeless));
  }
  return trees;
}

namespace {

// "18 NVLinks"; "17 of 18 NVLinks" where some are down.
std::string links_counted(const Gpu& gpu, int count) {
  const auto word = nvlink_word(gpu);
  if (lacks_nvlinks(gpu) && count == active_nvlinks(gpu))
    return fmt::format("{} of {}", count,
                       counted(static_cast<std::size_t>(nvlink_capacity(gpu)), word));
  return counted(static_cast<std::size_t>(count), word);
}

std::string to_switches(const Facts& facts, int gpu, const NvLinks& links) {
  const Gpu& device = *facts.graph().node(gpu).gpu;
  const int chips = nvswitches_of(device);
  return fmt::format("{} to {}, {} GB/s", links_counted(device, links.count),
                     chips == 0 ? "NVSwitch" : counted(static_cast<std::size_t>(chips), "NVSwitch"),
                     gbps_text(links.gbps));
}

// Peers with as many links each.
std::string to_peers(const Facts& facts, int gpu, const std::vector<NvLinks>& peers) {
  std::vector<int> nodes;
  for (const auto& links : peers) nodes.push_back(links.to);
  const bool many = peers.size() > 1;
  return fmt::format(
      "{}{} to {}, {} GB/s{}", links_counted(*facts.graph().node(gpu).gpu, peers[0].count),
      many ? " each" : "", facts.names(nodes), gbps_text(peers[0].gbps), many ? " each" : "");
}

// GPUs behind the switches, the widest first, by their links.
struct SwitchSide {
  std::map<int, std::vector<int>, std::greater<>> gpus;  // by count of links
  std::map<int, double> gbps;
  std::set<int> hosts;
  int chips = 0;
};

SwitchSide switch_side(const Facts& facts) {
  SwitchSide side;
  for (const int gpu : facts.graph().of(NodeKind::gpu))
    for (const auto& links : facts.nvlinks(gpu)) {
      if (facts.graph().node(links.to).kind != NodeKind::nvs) continue;
      side.gpus[links.count].push_back(gpu);
      side.gbps[links.count] = links.gbps;
      side.hosts.insert(facts.graph().node(gpu).host);
      side.chips = std::max(side.chips, nvswitches_of(*facts.graph().node(gpu).gpu));
    }
  return side;
}

using Pairs = std::map<double, std::vector<std::string>, std::greater<>>;  // by GB/s

Pairs processor_pairs(const Facts& facts, const std::vector<int>& cpus) {
  Pairs pairs;
  for (const int cpu : cpus)
    for (const auto& link : facts.graph().node(cpu).links)
      if (link.kind == LinkKind::sys && link.to > cpu)
        pairs[link.gbps].push_back(fmt::format("{} and {}", facts.name(cpu), facts.name(link.to)));
  return pairs;
}

std::string processor_gbps(double gbps) {
  if (gbps >= kLocalGbps) return "speed not known, NCCL counts 5000 GB/s";
  return fmt::format("{} GB/s", gbps_text(gbps));
}

// Without the place of devices that name no memory node; where none has a number, all of them.
std::size_t numa_nodes(const Facts& facts) {
  const auto cpus = facts.graph().of(NodeKind::cpu);
  const auto numbered =
      std::ranges::count_if(cpus, [&](int cpu) { return facts.graph().node(cpu).numa >= 0; });
  return numbered > 0 ? static_cast<std::size_t>(numbered) : cpus.size();
}

}  // namespace

std::string summary_text(const Facts& facts) {
  const auto text = fmt::format("{}, {}, {}", counted(numa_nodes(facts), "NUMA node"),
                                counted(facts.graph().of(NodeKind::gpu).size(), "GPU"),
                                counted(facts.graph().of(NodeKind::net).size(), "NIC port"));
  const int hosts = facts.hosts();
  return hosts > 1 ? fmt::format("{} hosts, {}", hosts, text) : text;
}

bool lacks_nvlinks(const Gpu& gpu) { return active_nvlinks(gpu) < nvlink_capacity(gpu); }

std::string nvlinks_text(const Facts& facts, int gpu) {
  const Gpu& device = *facts.graph().node(gpu).gpu;
  std::map<int, std::vector<NvLinks>, std::greater<>> peers;  // by count
  std::vector<std::string> parts;
  for (const auto& links : facts.nvlinks(gpu)) {
    if (facts.graph().node(links.to).kind == NodeKind::nvs)
      parts.push_back(to_switches(facts, gpu, links));
    else
      peers[links.count].push_back(links);
  }
  for (const auto& [count, same] : peers) parts.push_back(to_peers(facts, gpu, same));
  if (parts.empty()) return lacks_nvlinks(device) ? links_counted(device, 0) : "";
  if (lacks_nvlinks(device) && parts.size() + peers.size() > 1)
    parts.push_back(fmt::format("{} in all", links_counted(device, active_nvlinks(device))));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string c2c_text(const Gpu& gpu) {
  if (!gpu.c2c || gpu.c2c->count <= 0) return {};
  return fmt::format("C2C to its CPU, {} GB/s", gbps_text(c2c_gbps(*gpu.c2c)));
}

std::string nvswitch_label(const Facts& facts) {
  const int chips = switch_side(facts).chips;
  return chips == 0 ? "NVSwitch" : counted(static_cast<std::size_t>(chips), "NVSwitch");
}

std::string nvswitch_text(const Facts& facts) {
  const SwitchSide side = switch_side(facts);
  const auto& gpus = facts.graph().of(NodeKind::gpu);
  const auto word = gpus.empty() ? "NVLink" : nvlink_word(*facts.graph().node(gpus.front()).gpu);
  std::vector<std::string> parts;
  for (const auto& [count, group] : side.gpus) {
    const auto whose =
        side.hosts.size() > 1
            ? fmt::format("{} on {} hosts", counted(group.size(), "GPU"), side.hosts.size())
            : facts.names(group);
    parts.push_back(
        fmt::format("{}, {} GB/s from {}{}", counted(static_cast<std::size_t>(count), word),
                    gbps_text(side.gbps.at(count)), group.size() > 1 ? "each of " : "", whose));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<std::string> processor_link_texts(const Facts& facts, int host) {
  const auto cpus = facts.nodes_on(NodeKind::cpu, host);
  const auto pairs = processor_pairs(facts, cpus);
  std::vector<std::string> texts;
  if (pairs.size() == 1 && cpus.size() > 2) {
    texts.push_back(fmt::format("{} each to each, {}", facts.names(cpus),
                                processor_gbps(pairs.begin()->first)));
    return texts;
  }
  for (const auto& [gbps, named] : pairs)
    for (const auto& pair : named)
      texts.push_back(fmt::format("{}, {}", pair, processor_gbps(gbps)));
  return texts;
}

}  // namespace linerate::topo
