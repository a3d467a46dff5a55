// NVLinks counted: to switches, to other GPUs, and those that are down.
#include "topo/cluster/node_shape.h"
#include "topo/show/facts.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

NodeShape two_gpus(int nvlinks, int nvswitches) {
  NodeShape shape{.numas = 1, .switches = 0, .gpus = 2, .nics = 0};
  shape.gpu.nvlinks = nvlinks;
  shape.gpu.nvswitches = nvswitches;
  return shape;
}

TEST(NvLinks, ToSwitchesAreThoseOfAllChips) {
  const Graph graph = build_graph(system_of(two_gpus(18, 4)));
  const int gpu = graph.of(NodeKind::gpu)[0];

  const auto links = Facts(graph).nvlinks(gpu);

  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(graph.node(links[0].to).kind, NodeKind::nvs);
  EXPECT_EQ(links[0].count, 18);
  EXPECT_NEAR(links[0].gbps, 18 * 20.6, 1e-9);
  EXPECT_EQ(nvswitches_of(*graph.node(gpu).gpu), 4);
}

TEST(NvLinks, BetweenGpusBehindSwitchesAreThoseOfTheLesser) {
  System system = system_of(two_gpus(18, 4));
  system.cpus[0].devices[1].gpu->nvlinks.pop_back();
  const Graph graph = build_graph(std::move(system));

  EXPECT_EQ(Facts(graph).nvlinks_between(graph.of(NodeKind::gpu)[0], graph.of(NodeKind::gpu)[1]),
            14);
}

TEST(NvLinks, DirectOnesAreCounted) {
  const Graph graph = build_graph(system_of(two_gpus(4, 0)));
  const int first = graph.of(NodeKind::gpu)[0], second = graph.of(NodeKind::gpu)[1];

  EXPECT_EQ(Facts(graph).nvlinks_between(first, second), 4);
  EXPECT_EQ(Facts(graph).nvlinks_between(second, first), 4);
  EXPECT_EQ(nvswitches_of(*graph.node(first).gpu), 0);
}

TEST(NvLinks, OfGpusWithoutAnyAreNone) {
  const Graph graph = build_graph(system_of(two_gpus(0, 0)));
  const int first = graph.of(NodeKind::gpu)[0], second = graph.of(NodeKind::gpu)[1];

  EXPECT_TRUE(Facts(graph).nvlinks(first).empty());
  EXPECT_EQ(Facts(graph).nvlinks_between(first, second), 0);
}

TEST(NvLinks, DoNotIncludeC2cThatOlderVersionsCountAsNvLink) {
  NodeShape shape = two_gpus(2, 0);
  shape.gpu.c2c = C2c{44712, 5};
  const Graph graph = build_graph(system_of(shape), {2, 22, 3});

  EXPECT_EQ(Facts(graph).nvlinks(graph.of(NodeKind::gpu)[0]).size(), 1U);
}

TEST(NvSwitchesOf, CountNoneThatTheHostDoesNotSee) {
  const Gpu hidden{.nvlinks = {{.target = "fffffff:ff:ff.0", .count = 18, .tclass = 0x068000}}};

  EXPECT_EQ(nvswitches_of(hidden), 0);
}

TEST(ActiveNvLinks, AreAllThatAreUp) {
  const Gpu gpu{.nvlinks = {{.count = 5, .capacity = 18}, {.count = 4, .capacity = 18}}};

  EXPECT_EQ(active_nvlinks(gpu), 9);
  EXPECT_EQ(nvlink_capacity(gpu), 18);
  EXPECT_EQ(nvlink_capacity({}), 0);
}

}  // namespace
}  // namespace linerate::topo
