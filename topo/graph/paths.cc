// The widest or nearest paths by a breadth-first search from every node, then a Rerouter that
// changes what NCCL sends another way; both follow ncclTopoComputePaths in NCCL's
// src/graph/paths.cc.
#include "topo/graph/paths.h"

#include "topo/graph/rules.h"
#include "topo/system/links.h"
#include "topo/system/system.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace linerate::topo {

// Changes the direct paths of `paths` in NCCL's order: GPU pairs that are too far for direct
// access, GPUs with C2C, PXN, and NICs that a GPU's memory is out of reach for.
class Rerouter {
 public:
  Rerouter(const Graph& graph, const GraphRules& rules, Paths& paths);
  void reroute();

 private:
  // Of one port, until a path changes that it follows from.
  struct FirstUser {
    int net = -1, gpu = -1;
    std::vector<int> follows{};  // nodes whose ways tell it, besides the port's

    bool follows_from(int node) const;
  };

  Path& path(int from, int to) {
    return paths_.table_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }
  bool within(PathType type, PathType level) const;  // as near or nearer
  PathType merged(PathType a, PathType b) const;     // of a way in two parts
  void go_over(int from, int step, int to);

  bool has_p2p(int from, int to);
  void reroute_gpus();
  void mark_p2c(int gpu, int net);
  void mark_p2c_of(int gpu);
  bool has_gdr(int gpu, int net, bool sends);
  bool has_pxn(int gpu, int peer, int net);
  int first_user(int net);
  void reroute_net(int gpu, int net);
  void stage(int gpu, int net);

  const Graph& graph_;
  const GraphRules& rules_;
  Paths& paths_;
  PathType p2p_level_;
  bool all_gdr_;
  FirstUser known_{};
};

namespace {

// How far GPUs access each other's memory, by the first processor (ncclTopoCheckP2p).
PathType p2p_level(const Graph& graph, const GraphRules& rules) {
  constexpr int kPair = 2;
  const auto cpus = graph.of(NodeKind::cpu);
  if (cpus.empty()) return PathType::pxb;
  const Cpu& cpu = *graph.node(cpus.front()).cpu;
  const bool few = std::ssize(graph.of(NodeKind::gpu)) <= kPair;
  if (!rules.p2p_through_cpu) return is_amd(cpu) && few ? PathType::sys : PathType::pxb;
  const bool is_slow = cpu.arch == CpuArch::arm64 || is_intel(cpu) || is_zhaoxin(cpu);
  return is_slow ? PathType::pxb : PathType::sys;
}

// Nobody asked the drivers: a file made by hand, without ranks.
bool gdr_is_unknown(const System& system) {
  bool known = false;
  walk_ports(system, [&](const std::vector<Net>& nets) {
    for (const auto& net : nets) known = known || net.gdr;
  });
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) {
    if (device.gpu) known = known || device.gpu->gdr || device.gpu->rank >= 0;
  });
  return !known;
}

}  // namespace

Rerouter::Rerouter(const Graph& graph, const GraphRules& rules, Paths& paths)
    : graph_(graph),
      rules_(rules),
      paths_(paths),
      p2p_level_(p2p_level(graph, rules)),
      all_gdr_(gdr_is_unknown(graph.system())) {}

void Rerouter::reroute() {
  reroute_gpus();
  for (const int gpu : graph_.of(NodeKind::gpu)) mark_p2c_of(gpu);
  for (const int net : graph_.of(NodeKind::net))
    for (const int gpu : graph_.of(NodeKind::gpu)) reroute_net(gpu, net);
}

bool Rerouter::within(PathType type, PathType level) const {
  return !nearer(level, type, graph_.version());
}

PathType Rerouter::merged(PathType a, PathType b) const {
  const PathType far = within(a, b) ? b : a, near = far == a ? b : a;
  const bool marks_p2c = rules_.p2c == P2cRule::of_all || rules_.p2c == P2cRule::of_near;
  return marks_p2c && far == PathType::phb && near == PathType::c2c ? PathType::p2c : far;
}

// Replaces the path by the one to `step` and on from there.
void Rerouter::go_over(int from, int step, int to) {
  const Path& first = path(from, step);
  const Path& second = path(step, to);
  Path whole{.type = merged(first.type, second.type), .gbps = std::min(first.gbps, second.gbps)};
  if (graph_.node(step).kind == NodeKind::gpu) whole.type = PathType::pxn;
  const bool differs = whole.type != path(from, to).type || whole.gbps != path(from, to).gbps;
  if (differs && known_.follows_from(from)) known_ = {};
  whole.hops = first.hops;
  whole.hops.insert(whole.hops.end(), second.hops.begin(), second.hops.end());
  path(from, to) = std::move(whole);
}

bool Rerouter::has_p2p(int from, int to) { return within(path(from, to).type, p2p_level_); }

void Rerouter::reroute_gpus() {
  for (const int to : graph_.of(NodeKind::gpu)) {
    const int cpu = local_cpu(graph_, paths_, to);
    for (const int from : graph_.of(NodeKind::gpu))
      if (cpu >= 0 && !has_p2p(from, to)) go_over(from, cpu, to);
  }
}

void Rerouter::mark_p2c(int gpu, int net) {
  const int cpu = local_cpu(graph_, paths_, gpu);
  if (cpu < 0) return;
  const PathType to_cpu = path(gpu, cpu).type;
  const bool is_p2c = rules_.p2c == P2cRule::of_phb
                          ? to_cpu == PathType::c2c && path(gpu, net).type == PathType::phb
                          : merged(to_cpu, path(net, cpu).type) == PathType::p2c;
  if (!is_p2c) return;
  for (Path* way : {&path(gpu, net), &path(net, gpu)})
    if (nearer(PathType::p2c, way->type, graph_.version())) way->type = PathType::p2c;
}

void Rerouter::mark_p2c_of(int gpu) {
  if (rules_.p2c == P2cRule::none) return;
  const auto all = graph_.of(NodeKind::net);
  const bool only_near = rules_.p2c == P2cRule::of_near;
  const auto nets = only_near ? nearest(graph_, paths_, gpu, NodeKind::net)
                              : std::vector<int>(all.begin(), all.end());
  for (const int net : nets) mark_p2c(gpu, net);
}

// ncclTopoCheckGdr: both support it, and are near enough. Before Ampere a GPU is read by the NIC
// only where its peers' traffic does not cross PCI.
bool Rerouter::has_gdr(int gpu, int net, bool sends) {
  const Gpu& device = *graph_.node(gpu).gpu;
  if (!all_gdr_ && !(device.gdr && graph_.node(net).net->gdr)) return false;
  const auto gpus = graph_.of(NodeKind::gpu);
  if (sends && device.gcn.empty() && device.sm < kAmpereSm && gpus.size() > 1 &&
      std::ranges::none_of(gpus, [&](int peer) { return path(gpu, peer).type == PathType::nvl; }))
    return false;
  const PathType type = path(gpu, net).type;
  if (type != PathType::pxn) return within(type, PathType::pxb) || type == PathType::p2c;
  const auto& hops = path(gpu, net).hops;
  const auto peer = std::ranges::find_if(
      hops, [&](const Hop& hop) { return graph_.node(hop.to).kind == NodeKind::gpu; });
  const PathType last = peer == hops.end() ? type : path(peer->to, net).type;
  return within(last, PathType::pxb) || last == PathType::p2c;
}

// Whether `peer` may pass on to `net` what `gpu` sends (PXN).
bool Rerouter::has_pxn(int gpu, int peer, int net) {
  if (peer < 0 || peer == gpu || graph_.node(peer).host != graph_.node(gpu).host) return false;
  if (rules_.pxn_needs_gdr && !has_gdr(peer, net, true)) return false;
  return within(path(peer, net).type, rules_.pxn_reach) &&
         within(path(peer, gpu).type, PathType::nvl) &&
         (path(peer, net).gbps > path(gpu, net).gbps ||
          !within(path(gpu, net).type, rules_.pxn_beyond));
}

bool Rerouter::FirstUser::follows_from(int node) const {
  return node == net || std::ranges::count(follows, node) > 0;
}

// As local_gpu() says, which goes by types and bandwidths alone: of the ways from the port, from
// the GPUs nearest to it, and from the ports nearest to those. Asked port by port.
int Rerouter::first_user(int net) {
  if (known_.net == net) return known_.gpu;
  known_ = {.net = net, .gpu = local_gpu(graph_, paths_, net)};
  for (const int gpu : nearest(graph_, paths_, net, NodeKind::gpu)) {
    known_.follows.push_back(gpu);
    const auto nets = nearest(graph_, paths_, gpu, NodeKind::net);
    if (!nets.empty()) known_.follows.push_back(nets.front());
  }
  return known_.gpu;
}

void Rerouter::reroute_net(int gpu, int net) {
  const int peer = first_user(net);
  if (has_pxn(gpu, peer, net)) go_over(gpu, peer, net);
  const bool is_near = nearer(path(gpu, net).type, PathType::phb, graph_.version());
  if ((is_near || rules_.stages_far_nics) && !has_gdr(gpu, net, false)) stage(gpu, net);
}

// Through the memory of the GPU's processor.
void Rerouter::stage(int gpu, int net) {
  const int cpu = local_cpu(graph_, paths_, gpu);
  if (cpu < 0) return;
  go_over(net, cpu, gpu);
  go_over(gpu, cpu, net);
}

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
