// See graph.h: names and look-up.
#include "topo/graph/graph.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace linerate::topo {
namespace {

constexpr std::array<std::string_view, 6> kNodeKinds{"GPU", "PCI", "NVS", "CPU", "NIC", "NET"};
constexpr std::array<std::string_view, 6> kLinkKinds{"LOC", "NVL", "C2C", "PCI", "SYS", "NET"};

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// What a person may mean: GPUs, ports and switches, then the devices that a port is on.
bool is_called(const Node& node, std::string_view name) {
  if (same_but_for_case(node.name, name)) return true;
  const auto id = parse_bus_id(name);
  return id && node.device != nullptr && node.kind != NodeKind::net && node.bus_id == *id;
}

}  // namespace

std::string_view name_of(NodeKind kind) { return kNodeKinds.at(static_cast<std::size_t>(kind)); }

std::string_view name_of(LinkKind kind) { return kLinkKinds.at(static_cast<std::size_t>(kind)); }

std::span<const int> Graph::of(NodeKind kind) const {
  return of_kind_.at(static_cast<std::size_t>(kind));
}

Result<int> Graph::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(nodes_, [&](const Node& node) { return is_called(node, name); });
  if (found != nodes_.end()) return static_cast<int>(found - nodes_.begin());
  std::vector<std::string_view> names;
  for (const auto kind : {NodeKind::gpu, NodeKind::net, NodeKind::nvs, NodeKind::cpu})
    for (const int n : of(kind)) names.push_back(node(n).name);
  return Failure{unknown_choice("device", name, names)};
}

}  // namespace linerate::topo
