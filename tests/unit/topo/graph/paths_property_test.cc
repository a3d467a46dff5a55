// What holds for the paths of any system, in any version.
#include "topo/graph/paths.h"
#include "unit/topo/graph/nodes.h"
#include "unit/topo/graph/random_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace linerate::topo {
namespace {

constexpr unsigned kSystems = 200;
constexpr NcclVersion kNewest{2, 30, 7};
constexpr NcclVersion kVersions[] = {{2, 18, 6}, {2, 24, 3}, {2, 27, 3}, {2, 28, 9}, {2, 30, 7}};

// Calls check(graph, path, from, to) for all pairs of GPUs and ports.
template <typename Check>
void for_each_pair(const Graph& graph, const Paths& paths, const Check& check) {
  std::vector<int> ends;
  for (const auto kind : {NodeKind::gpu, NodeKind::net})
    ends.insert(ends.end(), graph.of(kind).begin(), graph.of(kind).end());
  for (const int from : ends)
    for (const int to : ends) check(paths.between(from, to), from, to);
}

template <typename Check>
void for_each_path(const Check& check) {
  for (unsigned seed = 0; seed < kSystems; ++seed)
    for (const auto& version : kVersions) {
      SCOPED_TRACE("system " + std::to_string(seed) + ", NCCL " + text_of(version));
      const auto graph = build_graph(random_system(seed), version);
      for_each_pair(graph, Paths(graph),
                    [&](const Path& path, int from, int to) { check(graph, path, from, to); });
    }
}

bool has_hop(const Path& path, LinkKind kind) {
  return std::ranges::any_of(path.hops, [&](const Hop& hop) { return hop.kind == kind; });
}

TEST(AnyPath, HasTheBandwidthOfItsNarrowestLink) {
  for_each_path([](const Graph&, const Path& path, int, int) {
    const auto* narrowest = Paths::narrowest(path);
    if (narrowest == nullptr) return;
    ASSERT_DOUBLE_EQ(path.gbps, narrowest->gbps);
  });
}

TEST(AnyPath, LeadsFromOneEndToTheOtherOverLinksOfTheGraph) {
  for_each_path([](const Graph& graph, const Path& path, int from, int to) {
    int at = from;
    for (const auto& hop : path.hops) {
      ASSERT_EQ(hop.from, at);
      const Link link{.to = hop.to, .kind = hop.kind, .gbps = hop.gbps};
      ASSERT_GT(std::ranges::count(graph.node(at).links, link), 0);
      at = hop.to;
    }
    ASSERT_EQ(at, to);
  });
}

TEST(AnyPath, IsOfNoNearerTypeThanItsLinks) {
  for_each_path([](const Graph& graph, const Path& path, int, int) {
    const auto at_least = [&](PathType type) { return !nearer(path.type, type, graph.version()); };
    if (path.type == PathType::pxn || path.type == PathType::p2c) return;
    const bool passes_cpu = std::ranges::any_of(path.hops, [&](const Hop& hop) {
      return graph.node(hop.to).kind == NodeKind::cpu && hop.kind == LinkKind::pci;
    });
    ASSERT_TRUE(!has_hop(path, LinkKind::sys) || at_least(PathType::sys));
    ASSERT_TRUE(!has_hop(path, LinkKind::pci) || at_least(PathType::pix));
    ASSERT_TRUE(!passes_cpu || at_least(PathType::phb));
  });
}

TEST(AnyPath, IsOfATypeThatTheVersionHas) {
  for_each_path([](const Graph& graph, const Path& path, int, int) {
    ASSERT_TRUE(has_path_type(path.type, graph.version()));
    ASSERT_NE(path.type, PathType::dis);
  });
}

// The first GPU gets NVLinks to the last.
System with_nvlinks(const System& system, const Graph& graph) {
  const auto gpus = graph.of(NodeKind::gpu);
  const auto first = graph.node(gpus.front()).bus_id, last = graph.node(gpus.back()).bus_id;
  return with(system, [&](PciDevice& device) {
    if (device.bus_id == first)
      device.gpu->nvlinks.push_back({.target = text_of(last), .count = 4, .tclass = 0x030200});
  });
}

// Before NCCL sends some of it another way: a GPU may get a nearer processor, and stage its traffic
// there.
TEST(AnAddedLink, MakesNoDirectPathWorse) {
  const auto rules = graph_rules(kNewest);
  for (unsigned seed = 0; seed < kSystems; ++seed) {
    SCOPED_TRACE(seed);
    const System before = random_system(seed);
    const auto graph = build_graph(before, kNewest);
    if (graph.of(NodeKind::gpu).size() < 2) continue;
    const auto more = build_graph(with_nvlinks(before, graph), kNewest);
    for (const int to : graph.of(NodeKind::gpu)) {
      const auto old = paths_to(graph, rules, to);
      const auto now = paths_to(more, rules, to);
      for (const int from : graph.of(NodeKind::gpu)) {
        const auto n = static_cast<std::size_t>(from);
        ASSERT_FALSE(nearer(old[n].type, now[n].type, kNewest)) << from << " to " << to;
        ASSERT_TRUE(old[n].type != now[n].type || now[n].gbps >= old[n].gbps) << from;
      }
    }
  }
}

// Device by device: a slot that trained to one lane bounds every path over it, and no other.
TEST(ANarrowedLink, BoundsThePathsThatNeedIt) {
  constexpr double kOneLane = 0.75;
  for (const auto& version : kVersions) {
    const System whole = system_of(pci_node());
    const auto graph = build_graph(whole, version);
    const auto narrow = build_graph(with(whole,
                                         [](PciDevice& device) {
                                           if (device.gpu && device.gpu->dev == 3)
                                             device.link = {"8.0 GT/s PCIe", 1};
                                         }),
                                    version);
    const Paths old_paths(graph), new_paths(narrow);
    const int gpu = node_called(graph, "GPU3");
    for_each_pair(graph, old_paths, [&](const Path& old, int from, int to) {
      const Path& now = new_paths.between(from, to);
      const bool needs = (from == gpu) != (to == gpu);
      ASSERT_EQ(now.type, old.type);
      ASSERT_DOUBLE_EQ(now.gbps, needs ? kOneLane : old.gbps);
    });
  }
}

void reverse_siblings(std::vector<PciDevice>& devices) {
  std::ranges::reverse(devices);
  for (auto& device : devices) reverse_siblings(device.children);
}

// Paths follow from where devices are, not from the order in which a source tells them.
TEST(TheOrderOfDevices, ChangesNoPath) {
  for (const auto& version : kVersions)
    for (auto shape : {hopper_node(), pci_node()}) {
      shape.gpus = shape.nics = 2;
      shape.switches = 2;
      System other = system_of(shape);
      for (auto& cpu : other.cpus) reverse_siblings(cpu.devices);
      const auto graph = build_graph(system_of(shape), version);
      const auto turned = build_graph(other, version);
      const Paths turned_paths(turned);

      int compared = 0;
      for_each_pair(graph, Paths(graph), [&](const Path& path, int from, int to) {
        const Path& same = turned_paths.between(node_called(turned, graph.node(from).name),
                                                node_called(turned, graph.node(to).name));
        ASSERT_DOUBLE_EQ(same.gbps, path.gbps);
        compared += same.type == path.type ? 1 : 0;
      });
      EXPECT_EQ(compared, 16 * 16);
    }
}

}  // namespace
}  // namespace linerate::topo
