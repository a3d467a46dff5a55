#include "topo/show/facts.h"

#include "topo/graph/graph.h"
#include "topo/show/text_layout.h"
#include "topo/system/link_speed.h"
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

std::vector<int> Facts::nodes_on(NodeKind kind, int host) const {
  std::vector<int> found;
  for (const int n : graph_.of(kind))
    if (graph_.node(n).host == host) found.push_back(n);
  return found;
}

namespace {

constexpr std::uint32_t kSwitchClass = 0x068000;
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
    if (link.tclass == kSwitchClass && link.count > 0 && seen) chips.insert(link.target);
  }
  return static_cast<int>(chips.size());
}

int active_nvlinks(const Gpu& gpu) {
  int active = 0;
  for (const auto& link : gpu.nvlinks) active += link.count;
  return active;
}

int nvlink_capacity(const Gpu& gpu) {
  std::uint32_t capacity = 0;
  for (const auto& link : gpu.nvlinks) capacity = std::max(capacity, link.capacity);
  return static_cast<int>(capacity);
}

std::string_view nvlink_word(const Gpu& gpu) { return gpu.gcn.empty() ? "NVLink" : "xGMI link"; }

namespace {

class PciTreeMaker {
 public:
  explicit PciTreeMaker(const Graph& graph) : graph_(graph) {
    for (const int n : graph.of(NodeKind::gpu)) number_[graph.node(n).gpu] = n;
    for (const int n : graph.of(NodeKind::net)) number_[graph.node(n).net] = n;
  }

  CpuTree tree(int cpu) const {
    const Cpu& processor = *graph_.node(cpu).cpu;
    CpuTree tree{.cpu = cpu, .subtrees = subtrees(processor.devices)};
    PciSubtree placeless{.ports = ports(processor.nets)};
    if (!placeless.ports.empty()) tree.subtrees.push_back(std::move(placeless));
    return tree;
  }

 private:
  int number_of(const void* of) const {
    const auto found = number_.find(of);
    return found == number_.end() ? -1 : found->second;
  }

  std::vector<int> ports(const std::vector<Net>& nets) const {
    std::vector<int> known;
    for (const auto& net : nets)
      if (const int n = number_of(&net); n >= 0) known.push_back(n);
    return known;
  }

  std::vector<PciSubtree> subtrees(const std::vector<PciDevice>& devices) const {
    std::vector<PciSubtree> found;
    for (const auto& device : devices) {
      PciSubtree subtree = subtree_of(device);
      if (!subtree.is_switch() || !subtree.below.empty()) found.push_back(std::move(subtree));
    }
    return found;
  }

  PciSubtree subtree_of(const PciDevice& device) const {
    PciSubtree subtree{.device = &device};
    if (device.gpu) subtree.gpu = number_of(&*device.gpu);
    if (!device.gpu) subtree.ports = ports(device.nets);
    if (!subtree.is_switch()) return subtree;
    subtree.below = subtrees(device.children);
    if (subtree.below.size() != 1) return subtree;
    PciSubtree only = std::move(subtree.below.front());
    only.above.insert(only.above.begin(), &device);
    return only;
  }

  const Graph& graph_;
  std::map<const void*, int> number_;  // nodes, by what of the system they stand for
};

}  // namespace

std::vector<CpuTree> Facts::pci_trees(int host) const {
  const PciTreeMaker maker(graph_);
  std::vector<CpuTree> trees;
  for (const int cpu : nodes_on(NodeKind::cpu, host)) trees.push_back(maker.tree(cpu));
  return trees;
}

}  // namespace linerate::topo
