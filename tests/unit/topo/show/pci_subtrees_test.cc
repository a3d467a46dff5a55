// The PCI tree as it is shown.
#include "support/topo/shown_systems.h"
#include "topo/show/facts.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

TEST(BusTree, FoldsSwitchesAboveOneDevice) {
  const Graph graph = build_graph(worn_machine());

  const auto trees = Facts(graph).pci_trees(0);

  ASSERT_EQ(trees.size(), 1U);
  ASSERT_EQ(trees[0].subtrees.size(), 2U);
  const PciSubtree& top = trees[0].subtrees[0];
  EXPECT_TRUE(top.is_switch());
  ASSERT_EQ(top.below.size(), 2U);
  EXPECT_EQ(graph.node(top.below[0].gpu).name, "GPU0");
  ASSERT_EQ(top.below[0].above.size(), 1U);
  EXPECT_EQ(top.below[0].above[0]->bus_id, (BusId{.bus = 2}));
  EXPECT_EQ(top.below[1].ports.size(), 2U);
}

TEST(BusTree, TellsChainsFromTheTop) {
  System system = worn_machine();
  auto& devices = system.cpus[0].devices;
  devices[0].children.pop_back();
  const Graph graph = build_graph(std::move(system));

  const PciSubtree gpu = Facts(graph).pci_trees(0)[0].subtrees[0];

  ASSERT_EQ(gpu.above.size(), 2U);
  EXPECT_EQ(gpu.above[0]->bus_id, (BusId{.bus = 1}));
  EXPECT_EQ(gpu.above[1]->bus_id, (BusId{.bus = 2}));
}

TEST(BusTree, HasPortsWithoutAPlaceOnTheBus) {
  const Graph graph = build_graph(worn_machine());

  const PciSubtree placeless = Facts(graph).pci_trees(0)[0].subtrees.back();

  EXPECT_EQ(placeless.device, nullptr);
  EXPECT_EQ(placeless.ports.size(), 1U);
}

TEST(BusTree, LeavesOutWhatLeadsToNoDevice) {
  System system = little_machine();
  system.cpus[0].devices.push_back(
      {.bus_id = {.bus = 7}, .class_code = 0x060400, .children = {{.class_code = 0x010802}}});
  const Graph graph = build_graph(std::move(system));

  EXPECT_EQ(Facts(graph).pci_trees(0)[0].subtrees.size(), 1U);
}

}  // namespace
}  // namespace linerate::topo
