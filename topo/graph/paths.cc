#include "topo/graph/paths.h"

#include "topo/graph/rerouter.h"
#include "topo/graph/rules.h"
#include "topo/system/link_speed.h"

#include <algorithm>
#include <utility>

namespace linerate::topo {

Paths::Paths(const Graph& graph) {
  const std::size_t n = graph.nodes().size();
  const auto rules = graph_rules(graph.version());
  table_.assign(n, std::vector<Path>(n));
  for (std::size_t to = 0; to < n; ++to) {
    auto found = paths_to(graph, rules, static_cast<int>(to));
    for (std::size_t from = 0; from < n; ++from) table_[from][to] = std::move(found[from]);
  }
  Rerouter(graph, rules, *this).reroute();
}

const Hop* Paths::narrowest(const Path& path) {
  const auto found = std::ranges::min_element(path.hops, {}, &Hop::gbps);
  return found == path.hops.end() ? nullptr : &*found;
}

// It follows ncclTopoSetPaths in NCCL's src/graph/paths.cc.

namespace {

// From `far` over `link` of `near` backwards, then on along near's path.
struct Extension {
  int near = 0;
  const Link* link = nullptr;
  PathType type = PathType::dis;
  double gbps = 0;
};

class PathFinder {
 public:
  PathFinder(const Graph& graph, const GraphRules& rules, int base)
      : graph_(graph), rules_(rules), base_(base), found_(graph.nodes().size()) {
    path(base) = {.type = PathType::loc, .gbps = kLocalGbps};
  }

  std::vector<Path> find() && {
    for (std::vector<int> reached{base_}; !reached.empty();) reached = step(reached);
    return std::move(found_);
  }

 private:
  Path& path(int n) { return found_[static_cast<std::size_t>(n)]; }
  int place(PathType type) const { return place_of(type, graph_.version()); }

  // The nodes whose path got better over the nodes in `from`.
  std::vector<int> step(const std::vector<int>& from) {
    std::vector<int> better;
    for (const int near : from)
      for (const Link& link : graph_.node(near).links) {
        if (!may_pass(near, link)) continue;
        const Extension way{near, &link, type_over(near, link),
                            std::min(path(near).gbps, link.gbps)};
        if (!improves(way)) continue;
        extend(way);
        if (std::ranges::count(better, link.to) == 0) better.push_back(link.to);
      }
    return better;
  }

  // A GPU passes on only from one NVLink to another, and only for its neighbour.
  bool may_pass(int near, const Link& link) {
    if (near == base_ || graph_.node(near).kind != NodeKind::gpu) return true;
    return link.kind == LinkKind::nvl && graph_.node(link.to).kind == NodeKind::gpu &&
           path(near).hops.size() <= 1;
  }

  PathType type_over(int near, const Link& link) {
    const auto type = type_of_link(near, link);
    return place(type) > place(path(near).type) ? type : path(near).type;
  }

  PathType type_of_link(int near, const Link& link) {
    const auto from = graph_.node(near).kind, to = graph_.node(link.to).kind;
    const bool between_switches = from == NodeKind::pci && to == NodeKind::pci;
    switch (link.kind) {
      case LinkKind::net:
        return PathType::loc;  // only the way from NIC to GPU counts
      case LinkKind::loc:
        return between_switches ? PathType::pxb : PathType::loc;
      case LinkKind::c2c:
        return PathType::c2c;
      case LinkKind::sys:
        return PathType::sys;
      case LinkKind::nvl: {
        const bool passes_gpu = from == NodeKind::gpu && path(near).type == PathType::nvl;
        return passes_gpu && !path(near).hops.empty() ? PathType::nvb : PathType::nvl;
      }
      case LinkKind::pci:
        if (from == NodeKind::cpu || to == NodeKind::cpu) return PathType::phb;
        return between_switches ? PathType::pxb : PathType::pix;
    }
    return PathType::dis;
  }

  bool improves(const Extension& way) {
    const Path& known = path(way.link->to);
    const auto hops = path(way.near).hops.size() + 1;
    if (!rules_.prefers_type)
      return (known.gbps == 0 || known.hops.size() >= hops) && known.gbps < way.gbps;
    if (way.type != known.type) return place(way.type) < place(known.type);
    return known.gbps < way.gbps || (known.gbps == way.gbps && known.hops.size() > hops);
  }

  void extend(const Extension& way) {
    const int far = way.link->to;
    const auto& back = graph_.node(far).links;
    const auto link = std::ranges::find_if(back, [&](const Link& other) {
      return other.to == way.near && other.kind == way.link->kind;
    });
    if (link == back.end()) return;  // graphs are built with both directions
    std::vector<Hop> hops{{.from = far, .to = way.near, .kind = link->kind, .gbps = link->gbps}};
    hops.insert(hops.end(), path(way.near).hops.begin(), path(way.near).hops.end());
    path(far) = {.type = way.type, .gbps = way.gbps, .hops = std::move(hops)};
  }

  const Graph& graph_;
  const GraphRules& rules_;
  int base_;
  std::vector<Path> found_;
};

}  // namespace

std::vector<Path> paths_to(const Graph& graph, const GraphRules& rules, int base) {
  return PathFinder(graph, rules, base).find();
}

}  // namespace linerate::topo
