// Writes Graphviz's language: nodes within boxes of hosts and NUMA nodes, then the links.
#include "topo/show/device_text.h"
#include "topo/show/facts.h"
#include "topo/show/views.h"
#include "topo/system/links.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace linerate::topo {
namespace {

// Within double quotes. Graphviz reads entities of HTML there, too.
std::string quoted_text(std::string_view text) {
  std::string safe = "\"";
  for (const char c : plain_text(text)) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c == '&' ? std::string("&amp;") : std::string(1, c);
  }
  return safe + '"';
}

// Lines of a label, each quoted by itself: "\n" is Graphviz's own.
std::string label_of(const std::vector<std::string>& lines) {
  std::string label;
  for (const auto& line : lines) {
    const auto text = quoted_text(line);
    label += fmt::format("{}{}", label.empty() ? "" : "\\n", text.substr(1, text.size() - 2));
  }
  return fmt::format("\"{}\"", label);
}

// By NodeKind.
constexpr std::array<std::string_view, 6> kFills{"#e4f3d3", "#e8ecf1", "#cfe8b0",
                                                 "#d5dce6", "#dcecfb", "#dcecfb"};

struct LinkLook {
  std::string_view color, text;
};
// By LinkKind.
constexpr std::array<LinkLook, 6> kLinkLooks{{{"#8a94a3", "within a device"},
                                              {"#4d8f16", "NVLink"},
                                              {"#c26a00", "C2C"},
                                              {"#64748b", "PCI Express"},
                                              {"#7c3aed", "between processors"},
                                              {"#1d6fb8", "network port"}}};
constexpr std::string_view kDegradedColor = "#d32f2f";

// Pixels: thicker by the same amount with each doubling of the bandwidth, from 1.5 to 9.
double stroke_of(double gbps) {
  constexpr double kThinnest = 1.5, kThickest = 9, kPerDoubling = 1.1, kThinGbps = 6;
  const double doublings = std::log2(std::max(gbps, kThinGbps) / kThinGbps);
  return std::min(kThinnest + kPerDoubling * doublings, kThickest);
}

// Whether the device hangs from a processor itself.
bool is_top(const Graph& graph, const Node& node) {
  return node.device != nullptr && std::ranges::any_of(node.links, [&](const Link& link) {
           return link.kind == LinkKind::pci && graph.node(link.to).kind == NodeKind::cpu;
         });
}

// Whether a link of the PCI tree, which is that of the device at its lower end, is degraded. Nodes
// are numbered from the processor down.
bool is_degraded_link(const Graph& graph, int from, const Link& link) {
  const auto* lower = graph.node(std::max(from, link.to)).device;
  return link.kind == LinkKind::pci && lower != nullptr && is_degraded(*lower);
}

// Where there is no bus between two nodes NCCL counts a bandwidth that no link has.
bool is_local(const Link& link) { return link.gbps >= kLocalGbps; }

// Blanks keep it off the line.
std::string label_of_link(const Link& link) {
  return is_local(link) ? std::string() : fmt::format("  {} GB/s", gbps_text(link.gbps));
}

class DotWriter {
 public:
  explicit DotWriter(const Graph& graph) : graph_(graph), facts_(graph) {}

  std::string text() {
    const System& system = graph_.system();
    const auto title = fmt::format("{}: {}", system.name.empty() ? system.source : system.name,
                                   summary_text(facts_));
    text_ = fmt::format(
        "graph topology {{\n"
        "  graph [label={}, labelloc=t, fontname=\"Helvetica\", style=rounded{}];\n"
        "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=11];\n"
        "  edge [fontname=\"Helvetica\", fontsize=9];\n",
        quoted_text(title), facts_.hosts() > 1 ? ", rankdir=LR" : "");
    for (const int nvs : graph_.of(NodeKind::nvs)) write_node(nvs);
    for (int host = 0; host < facts_.hosts(); ++host) write_host(host);
    for (int n = 0; n < std::ssize(graph_.nodes()); ++n) write_links(n);
    return text_ + "}\n";
  }

 private:
  void write_host(int host) {
    std::set<int> numas;
    for (const auto& node : graph_.nodes())
      if (node.kind != NodeKind::nvs && node.host == host) numas.insert(node.numa);
    const bool several = facts_.hosts() > 1;
    if (several)
      text_ += fmt::format("  subgraph \"cluster_h{}\" {{\n  label=\"h{}\";\n", host, host);
    for (const int numa : numas) write_numa(host, numa);
    if (several) text_ += "  }\n";
  }

  // A device and all below it, which are its next nodes, stay together: so lines of the bus cross
  // none.
  void write_numa(int host, int numa) {
    text_ += fmt::format("  subgraph \"cluster_h{}_numa{}\" {{\n  label=\"NUMA node {}\";\n", host,
                         numa, numa);
    bool within = false;
    for (int n = 0; n < std::ssize(graph_.nodes()); ++n) {
      const Node& node = graph_.node(n);
      if (node.kind == NodeKind::nvs || node.host != host || node.numa != numa) continue;
      const bool top = is_top(graph_, node);
      if (within && (top || node.kind == NodeKind::cpu)) text_ += "  }\n";
      if (top) text_ += fmt::format("  subgraph \"cluster_n{}\" {{\n  style=invis;\n", n);
      within = top || (within && node.kind != NodeKind::cpu);
      write_node(n);
    }
    text_ += within ? "  }\n  }\n" : "  }\n";
  }

  void write_node(int n) {
    const Node& node = graph_.node(n);
    text_ += fmt::format("  n{} [label={}, fillcolor=\"{}\"];\n", n, label_of(lines_of_node(n)),
                         kFills.at(static_cast<std::size_t>(node.kind)));
  }

  // Both directions are one line; a direction without its opposite has one of its own.
  void write_links(int n) {
    const Node& node = graph_.node(n);
    for (const auto& link : node.links) {
      const auto& back = graph_.node(link.to).links;
      const bool paired = std::ranges::any_of(
          back, [&](const Link& other) { return other.to == n && other.kind == link.kind; });
      if (paired && link.to < n) continue;
      const bool degraded = is_degraded_link(graph_, n, link);
      const auto& look = kLinkLooks.at(static_cast<std::size_t>(link.kind));
      text_ += fmt::format(
          "  n{} -- n{} [label=\"{}\", tooltip=\"{}\", color=\"{}\", penwidth={:.1f}{}{}];\n", n,
          link.to, label_of_link(link), look.text, degraded ? kDegradedColor : look.color,
          stroke_of(is_local(link) ? 0 : link.gbps), degraded ? ", style=dashed" : "",
          link.kind == LinkKind::sys ? ", constraint=false" : "");
    }
  }

  std::vector<std::string> lines_of_node(int n) const {
    const Node& node = graph_.node(n);
    switch (node.kind) {
      case NodeKind::gpu:
        return {node.name, gpu_text(*node.gpu)};
      case NodeKind::cpu:
        if (node.cpu->affinity.empty()) return {node.name, cpu_text(*node.cpu)};
        return {node.name, cpu_text(*node.cpu), "cores " + cores_text(node.cpu->affinity)};
      case NodeKind::net:
        return lines_of_port(node);
      case NodeKind::nvs:
        return {nvswitch_label(facts_)};
      case NodeKind::pci:
      case NodeKind::nic:
        return {node.name};
    }
    return {};
  }

  std::vector<std::string> lines_of_port(const Node& node) const {
    const Net& net = *node.net;
    std::vector<std::string> lines{node.name};
    if (auto speed = facts_.speed_text(net); !speed.empty()) lines.push_back(std::move(speed));
    if (!is_up(net)) lines.push_back(net.state);
    if (!facts_.nccl_takes(net)) lines.emplace_back(kLeftOut);
    return lines;
  }

  const Graph& graph_;
  Facts facts_;
  std::string text_{};
};

}  // namespace

std::string dot_text(const Graph& graph) { return DotWriter(graph).text(); }

}  // namespace linerate::topo
