// Parts of pictures: what stands where.
#include "topo/show/svg_parts.h"

#include "support/topo/shown_systems.h"
#include "topo/cluster/node_shape.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

TEST(Parts, HaveASwitchForAFoldedChain) {
  const Graph graph = build_graph(worn_machine());

  const auto cpus = parts_of(graph, 0);

  ASSERT_EQ(cpus.size(), 1U);
  const Part& top = cpus[0].below[0];
  const Part& chain = top.below[0];
  EXPECT_EQ(chain.kind, PartKind::pci);
  EXPECT_EQ(chain.lines[1].text, "0000:02:00.0");
  EXPECT_EQ(chain.below[0].kind, PartKind::gpu);
  EXPECT_EQ(top.below[1].kind, PartKind::nic);
  EXPECT_TRUE(top.below[1].bad);
}

TEST(Parts, StackManyNicsOfOneSwitch) {
  const Graph graph = build_graph(system_of({.gpus = 1, .nics = 4}));

  const auto cpus = parts_of(graph, 0);

  const auto& below = cpus[0].below[0].below;
  ASSERT_EQ(below.size(), 2U);
  EXPECT_EQ(below[0].kind, PartKind::gpu);
  EXPECT_EQ(below[1].kind, PartKind::stack);
  EXPECT_EQ(below[1].below.size(), 4U);
}

TEST(Parts, TellPortsThatNcclLeavesOut) {
  const auto graph = build_graph(worn_machine());

  const auto cpus = parts_of(graph, 0);

  const Part& placeless = cpus[0].below.back();
  ASSERT_EQ(placeless.tip.size(), 1U);
  EXPECT_EQ(placeless.tip[0], "eth9: 2.5 Gb/s, NCCL leaves it out");
  const Part& nic = cpus[0].below[0].below[1];
  EXPECT_EQ(nic.tip[1], "mlx5_1: DOWN (Polling), NCCL leaves it out");
}

TEST(Parts, LeaveTwoNicsSideBySide) {
  const Graph graph = build_graph(system_of({.numas = 1, .switches = 1, .gpus = 1, .nics = 2}));

  EXPECT_EQ(parts_of(graph, 0)[0].below[0].below.size(), 3U);
}

TEST(Parts, TellTheNumberOfCoresWhereTheListIsLong) {
  System system = little_machine();
  system.cpus[0].affinity = "5555,55555555,55555555";
  const Graph graph = build_graph(std::move(system));

  const auto cpu = parts_of(graph, 0)[0];

  EXPECT_EQ(cpu.lines[2].text, "40 cores");
  EXPECT_TRUE(cpu.tip.back().starts_with("cores 0,2,4,"));
}

TEST(Places, PutDevicesInOneRowBelowAllSwitches) {
  const Graph graph = build_graph(worn_machine());
  auto cpus = parts_of(graph, 0);

  place_parts(cpus, sizes_of(graph, cpus), 10, 20);

  const Part& top = cpus[0].below[0];
  const Part& gpu = top.below[0].below[0];
  EXPECT_EQ(cpus[0].box.y, 20);
  EXPECT_EQ(gpu.box.y, top.below[1].box.y);
  EXPECT_EQ(gpu.box.h, top.below[1].box.h);
  EXPECT_GE(gpu.box.y, top.below[0].box.bottom() + kWireGap);
  EXPECT_EQ(gpu.box.center(), top.below[0].box.center());
}

}  // namespace
}  // namespace linerate::topo
