// Tells a path by what it passes: NVLinks, switches, processors, or a turn that NCCL makes it take.
#include "topo/graph/paths.h"
#include "topo/system/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace linerate::topo {
namespace {

// What a path passes, without its ends.
std::vector<const Node*> passed(const Graph& graph, const Path& path, NodeKind kind) {
  std::vector<const Node*> nodes;
  for (std::size_t i = 0; i + 1 < path.hops.size(); ++i)
    if (const Node& node = graph.node(path.hops[i].to); node.kind == kind) nodes.push_back(&node);
  return nodes;
}

// "CPU0 and CPU1", or `none`.
std::string names_of_passed(const Graph& graph, const Path& path, NodeKind kind,
                            std::string_view none) {
  std::string text;
  for (const auto* node : passed(graph, path, kind))
    text += fmt::format("{}{}", text.empty() ? "" : " and ", node->name);
  return text.empty() ? std::string(none) : text;
}

// Whether the path comes back to a switch that it has passed: NCCL sent it through the processor.
bool turns_back(const Graph& graph, const Path& path) {
  std::set<const Node*> seen;
  return std::ranges::any_of(passed(graph, path, NodeKind::pci),
                             [&](const Node* node) { return !seen.insert(node).second; });
}

std::string reason_to_turn_back(const Graph& graph, int from, int to) {
  const bool gpus = graph.node(from).kind == NodeKind::gpu && graph.node(to).kind == NodeKind::gpu;
  return gpus ? "NCCL does not let these GPUs access each other's memory over PCI Express"
              : "NCCL does not let the NIC access this GPU's memory (GPUDirect RDMA)";
}

std::string through_processor(const Graph& graph, const Path& path, int from, int to) {
  const auto cpus = names_of_passed(graph, path, NodeKind::cpu, "the processor");
  if (turns_back(graph, path))
    return fmt::format("it goes up to {} and back down, because {}", cpus,
                       reason_to_turn_back(graph, from, to));
  return fmt::format("no PCI switch joins them: it goes through {}", cpus);
}

bool is_amd(const Graph& graph) { return library_of(graph.system()) == "RCCL"; }

// As RCCL calls them where its GPUs are (src/graph/topo.cc).
std::string_view shown(PathType type, const Graph& graph) {
  return type == PathType::nvl && is_amd(graph) ? "XGMI" : name_of(type);
}
std::string_view shown(LinkKind kind, const Graph& graph) {
  return kind == LinkKind::nvl && is_amd(graph) ? "XGMI" : name_of(kind);
}

std::string over_nvlink(const Graph& graph, const Path& path) {
  const auto nvs = names_of_passed(graph, path, NodeKind::nvs, "");
  const std::string_view links = is_amd(graph) ? "xGMI links" : "NVLinks";
  return nvs.empty() ? fmt::format("{} join them directly", links)
                     : fmt::format("{} join them over {}", links, nvs);
}

std::string across(const Graph& graph, const Path& path) {
  const auto cpus = names_of_passed(graph, path, NodeKind::cpu, "the processors");
  return fmt::format("it crosses the link between processors, {}", cpus);
}

std::string reason(const Graph& graph, const Path& path, int from, int to) {
  const auto switches = [&] {
    return names_of_passed(graph, path, NodeKind::pci, "no switch at all");
  };
  const auto gpus = [&] { return names_of_passed(graph, path, NodeKind::gpu, "another GPU"); };
  switch (path.type) {
    case PathType::loc:
      return "both are one device, or joined without a bus";
    case PathType::nvl:
      return over_nvlink(graph, path);
    case PathType::nvb:
      return fmt::format("{} join them over {}, which passes data on",
                         is_amd(graph) ? "xGMI links" : "NVLinks", gpus());
    case PathType::c2c:
      return "the GPU and the processor share a package";
    case PathType::pix:
      return fmt::format("at most one PCI switch is between them: {}", switches());
    case PathType::pxb:
      return fmt::format("it passes several PCI switches, but no processor: {}", switches());
    case PathType::p2c:
      return "it goes over C2C to the processor, and from its PCI port to the NIC";
    case PathType::pxn:
      return fmt::format("{} is nearer to the NIC and passes on what it gets over NVLink", gpus());
    case PathType::phb:
      return through_processor(graph, path, from, to);
    case PathType::sys:
      return across(graph, path);
    case PathType::net:
      return "it crosses the network";
    case PathType::dis:
      return "nothing joins them";
  }
  return {};
}

std::string hop_lines(const Graph& graph, const Path& path, const Hop* narrowest) {
  std::string text;
  for (const auto& hop : path.hops) {
    const auto way = fmt::format("{} -> {}", graph.node(hop.from).name, graph.node(hop.to).name);
    text += fmt::format("  {:<40} {:<4} {:>7.1f} GB/s{}\n", way, shown(hop.kind, graph), hop.gbps,
                        &hop == narrowest ? "  narrowest" : "");
  }
  return text;
}

}  // namespace

std::string explain(const Graph& graph, const Paths& paths, int from, int to) {
  const Path& path = paths.between(from, to);
  const auto* narrowest = Paths::narrowest(path);
  const auto head = fmt::format("{} to {}: {}", graph.node(from).name, graph.node(to).name,
                                shown(path.type, graph));
  const auto why = fmt::format("{}: {}.\n", shown(path.type, graph), reason(graph, path, from, to));
  if (narrowest == nullptr) return fmt::format("{}\n{}", head, why);
  return fmt::format("{}, {:.1f} GB/s\n{}{}Narrowest: {} to {}, {:.1f} GB/s.\n", head, path.gbps,
                     hop_lines(graph, path, narrowest), why, graph.node(narrowest->from).name,
                     graph.node(narrowest->to).name, narrowest->gbps);
}

}  // namespace linerate::topo
