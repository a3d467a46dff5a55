// A block of cells for all hosts, or for each group of identical ones; then the legend.
#include "topo/show/device_text.h"
#include "topo/show/facts.h"
#include "topo/show/text_layout.h"
#include "topo/show/views.h"

#include <fmt/format.h>

#include <array>
#include <set>
#include <vector>

namespace linerate::topo {
namespace {

constexpr std::string_view kSame = "X", kNoWay = "-";

// By PathType.
constexpr std::array<std::string_view, 12> kLegend{
    "one device, or joined without a bus",
    "NVLinks, also over NVSwitches; NV18: so many of them",
    "NVLinks over one other GPU",
    "the link between GPU and processor in one package",
    "at most one PCI switch",
    "several PCI switches, but no processor",
    "C2C to the processor, and from its PCI port to the NIC",
    "NVLinks to another GPU, which is nearer to the NIC",
    "through a processor",
    "through the link between processors",
    "through the network",
    "no way"};

class DistanceMatrix {
 public:
  DistanceMatrix(const Graph& graph, const Paths& paths, const MatrixOptions& options)
      : graph_(graph), facts_(graph), paths_(paths), options_(options) {}

  std::string text() {
    if (facts_.devices().empty()) return "No GPUs and no NICs.\n";
    const bool whole = options_.all_hosts || facts_.hosts() == 1;
    std::string text = whole ? block(facts_.devices()) + '\n' : blocks_of_hosts();
    text += legend();  // of what the blocks used
    text += left_out();
    return text;
  }

 private:
  std::string cell(int from, int to) {
    const Path& path = paths_.between(from, to);
    if (from == to) return std::string(kSame);
    used_.insert(path.type);
    if (path.type == PathType::dis) return std::string(options_.gbps ? kNoWay : name_of(path.type));
    if (options_.gbps) return gbps_text(path.gbps);
    const int links = path.type == PathType::nvl ? facts_.nvlinks_between(from, to) : 0;
    return links > 0 ? fmt::format("{}{}", link_prefix(), links) : std::string(name_of(path.type));
  }

  bool has_xgmi() const { return library_of(graph_.system()) == "RCCL"; }
  std::string_view link_prefix() const { return has_xgmi() ? "XGMI" : "NV"; }

  std::string legend_line(std::string_view name, std::string_view meaning) const {
    const int width = has_xgmi() ? 5 : 3;
    return fmt::format("  {:<{}}  {}\n", name, width, meaning);
  }

  std::string legend_line(PathType type) const {
    constexpr std::string_view kNvLinks = "NVLinks";
    if (type == PathType::nvl && has_xgmi())
      return legend_line("XGMI#", "xGMI links; XGMI2: so many of them");
    std::string meaning(kLegend.at(static_cast<std::size_t>(type)));
    if (has_xgmi() && meaning.starts_with(kNvLinks))
      meaning.replace(0, kNvLinks.size(), "xGMI links");
    return legend_line(type == PathType::nvl ? "NV#" : topo::name_of(type), meaning);
  }

  std::string name(int node) const {
    return options_.all_hosts ? plain_text(graph_.node(node).name) : facts_.name(node);
  }

  const Node* cpu_near(int node) const {
    const Node& device = graph_.node(node);
    for (const int n : graph_.of(NodeKind::cpu))
      if (const Node& cpu = graph_.node(n); cpu.host == device.host && cpu.numa == device.numa)
        return &cpu;
    return nullptr;
  }

  std::string block(const std::vector<int>& devices) {
    std::vector<std::vector<std::string>> rows(1, {""});
    for (const int to : devices) rows[0].push_back(name(to));
    rows[0].insert(rows[0].end(), {"CPU affinity", "NUMA"});
    for (const int from : devices) {
      auto& row = rows.emplace_back(1, name(from));
      for (const int to : devices) row.push_back(cell(from, to));
      const Node* cpu = cpu_near(from);
      const bool known = cpu != nullptr && !cpu->cpu->affinity.empty();
      row.push_back(known ? cores_text(cpu->cpu->affinity) : "not known");
      row.push_back(cpu != nullptr && cpu->numa >= 0 ? fmt::format("{}", cpu->numa) : "not known");
    }
    return aligned(rows);
  }

  std::string blocks_of_hosts() {
    std::string text;
    for (const auto& group : facts_.identical_hosts()) {
      text += fmt::format("{}\n", hosts_text(group));
      text += block(facts_.devices(group.front())) + '\n';
    }
    return text + between_hosts();
  }

  std::string between_hosts() {
    std::vector<std::string> parts;
    const auto add = [&](std::string_view what, NodeKind from, NodeKind to) {
      if (const auto cells = cells_between(from, to); !cells.empty())
        parts.push_back(fmt::format("{} {}", what, cells));
    };
    add("GPU to GPU", NodeKind::gpu, NodeKind::gpu);
    add("GPU to NIC", NodeKind::gpu, NodeKind::net);
    add("NIC to GPU", NodeKind::net, NodeKind::gpu);
    add("NIC to NIC", NodeKind::net, NodeKind::net);
    if (parts.empty()) parts.emplace_back("the network alone");
    return fmt::format("Between hosts: {}.\n\n", fmt::join(parts, ", "));
  }

  // All cells that joined pairs on different hosts have, each once.
  std::string cells_between(NodeKind from, NodeKind to) {
    std::set<std::string> cells;
    for (const int a : graph_.of(from))
      for (const int b : graph_.of(to)) {
        const bool joined = paths_.between(a, b).type != PathType::dis;
        if (joined && graph_.node(a).host != graph_.node(b).host) cells.insert(cell(a, b));
      }
    return fmt::format("{}", fmt::join(cells, " or "));
  }

  std::string legend() const {
    const auto version = text_of(graph_.version());
    if (options_.gbps)
      return fmt::format("GB/s from row to column, as NCCL {} counts them. X: the same device{}.\n",
                         version, used_.contains(PathType::dis) ? "; -: no way" : "");
    auto text = fmt::format("Paths as NCCL {} {}, the nearest first:\n", version,
                            has_xgmi() ? "would see them" : "sees them") +
                legend_line(kSame, "the same device");
    for (int place = 0; place <= static_cast<int>(PathType::dis); ++place)
      if (const auto type = type_at(place, graph_.version()); used_.contains(type))
        text += legend_line(type);
    return text;
  }

  std::string left_out() const {
    std::vector<std::string> names;
    for (const int port : graph_.of(NodeKind::net))
      if (!facts_.nccl_takes(*graph_.node(port).net))
        names.push_back(plain_text(graph_.node(port).name));
    return names.empty() ? "" : fmt::format("NCCL leaves out {}.\n", fmt::join(names, ", "));
  }

  const Graph& graph_;
  Facts facts_;
  const Paths& paths_;
  MatrixOptions options_;
  std::set<PathType> used_{};
};

}  // namespace

std::string matrix_text(const Graph& graph, const Paths& paths, const MatrixOptions& options) {
  return DistanceMatrix(graph, paths, options).text();
}

}  // namespace linerate::topo
