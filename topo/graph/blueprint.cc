// See blueprint.h: nodes, and links between two of them.
#include "topo/graph/blueprint.h"

#include <algorithm>
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

}  // namespace linerate::topo
