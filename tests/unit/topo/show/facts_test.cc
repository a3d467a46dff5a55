// The PCI tree as it is shown, identical hosts, NVLinks, and the texts about them.
#include "topo/show/facts.h"

#include "support/topo/shown_systems.h"
#include "topo/cluster/platforms.h"

#include <gmock/gmock.h>
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

using testing::ElementsAre;

System four_hosts() {
  return system_of({.hosts = 4, .numas = 2, .switches = 0, .gpus = 2, .nics = 1});
}

TEST(AlikeHosts, DifferInRanksAndGuidsOnly) {
  EXPECT_THAT(Facts(build_graph(four_hosts())).identical_hosts(),
              ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST(AlikeHosts, DoNotIncludeOneWithAnotherLink) {
  System system = four_hosts();
  system.cpus[4].devices[0].link.width = 8;  // host 2

  EXPECT_THAT(Facts(build_graph(std::move(system))).identical_hosts(),
              ElementsAre(ElementsAre(0, 1, 3), ElementsAre(2)));
}

TEST(NameOnHost, HasNoHost) {
  const Graph graph = build_graph(four_hosts());

  EXPECT_EQ(Facts(graph).name(*graph.find("h2/GPU3")), "GPU3");
}

TEST(NameOnHost, OfASingleHostIsTheName) {
  System system = system_of({.numas = 1, .switches = 0, .gpus = 0, .nics = 1});
  system.cpus[0].devices[0].nets[0].name = "h0/nic";
  const Graph graph = build_graph(std::move(system));

  EXPECT_EQ(Facts(graph).name(graph.of(NodeKind::net)[0]), "h0/nic");
}

TEST(GroupText, TellHowMany) {
  EXPECT_EQ(hosts_text({0, 1, 2, 4}), "4 hosts alike: h0-h2, h4");
  EXPECT_EQ(hosts_text({3}), "h3");
}

TEST(NodesOn, AreOfOneHost) {
  const Graph graph = build_graph(four_hosts());

  const auto gpus = Facts(graph).nodes_on(NodeKind::gpu, 3);

  ASSERT_EQ(gpus.size(), 4U);
  for (const int gpu : gpus) EXPECT_EQ(graph.node(gpu).host, 3);
}

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

Graph platform(std::string_view name) { return build_graph(*built_in_platform(name)); }

std::string text_of_first(const Graph& graph) {
  return nvlinks_text(Facts(graph), graph.of(NodeKind::gpu)[0]);
}

Graph direct(int gpus, int nvlinks) {
  NodeShape shape{.numas = 1, .switches = 0, .gpus = gpus, .nics = 0};
  shape.gpu.nvlinks = nvlinks;
  shape.gpu.nvswitches = 0;
  return build_graph(system_of(shape));
}

TEST(SummaryText, CountDevices) {
  EXPECT_EQ(summary_text(Facts(platform("dgx-h100"))), "2 NUMA nodes, 8 GPUs, 8 NIC ports");
  EXPECT_EQ(summary_text(Facts(platform("gb200-nvl72"))),
            "18 hosts, 36 NUMA nodes, 72 GPUs, 72 NIC ports");
}

TEST(SummaryText, DoNotCountThePlaceOfDevicesThatNameNoMemoryNode) {
  auto system = *built_in_platform("dgx-h100");
  system.cpus.push_back({.numa = -1});

  EXPECT_EQ(summary_text(Facts(build_graph(system))), "2 NUMA nodes, 8 GPUs, 8 NIC ports");
}

TEST(NvLinkText, OfSwitches) {
  EXPECT_EQ(text_of_first(platform("dgx-h100")), "18 NVLinks to 4 NVSwitches, 371 GB/s");
  EXPECT_EQ(text_of_first(platform("gb200-nvl72")), "18 NVLinks to NVSwitch, 722 GB/s");
}

TEST(NvLinkText, OfPeersTellThoseWithAsManyTogether) {
  EXPECT_EQ(text_of_first(direct(2, 1)), "1 NVLink to GPU1, 20.6 GB/s");
  EXPECT_EQ(text_of_first(direct(4, 6)), "2 NVLinks each to GPU1-GPU3, 41.2 GB/s each");
  EXPECT_EQ(text_of_first(direct(3, 3)),
            "2 NVLinks to GPU1, 41.2 GB/s; 1 NVLink to GPU2, 20.6 GB/s");
}

TEST(NvLinkText, OfAGpuWithoutAnyAreNone) { EXPECT_EQ(text_of_first(direct(2, 0)), ""); }

TEST(NvLinkText, SayHowManyAreUp) {
  const Graph graph = build_graph(worn_machine());

  EXPECT_EQ(text_of_first(graph), "17 of 18 NVLinks to 1 NVSwitch, 350 GB/s");
  EXPECT_TRUE(lacks_nvlinks(*graph.node(graph.of(NodeKind::gpu)[0]).gpu));
}

TEST(NvLinkText, SayThatAllAreDown) {
  System system = worn_machine();
  system.cpus[0].devices[0].children[0].children[0].gpu->nvlinks[0].count = 0;

  EXPECT_EQ(text_of_first(build_graph(std::move(system))), "0 of 18 NVLinks");
}

TEST(NvLinkText, OfSeveralPeersSayHowManyAreUpInAll) {
  NodeShape shape{.numas = 1, .switches = 0, .gpus = 3, .nics = 0};
  shape.gpu.nvlinks = 3;
  shape.gpu.nvswitches = 0;
  System system = system_of(shape);
  system.cpus[0].devices[0].gpu->nvlinks[1].capacity = 4;

  EXPECT_EQ(text_of_first(build_graph(std::move(system))),
            "2 NVLinks to GPU1, 41.2 GB/s; 1 NVLink to GPU2, 20.6 GB/s; 3 of 4 NVLinks in all");
}

TEST(C2cText, HaveTheBandwidthOfAllLinks) {
  EXPECT_EQ(c2c_text({.c2c = C2c{44712, 5}}), "C2C to its CPU, 224 GB/s");
  EXPECT_EQ(c2c_text({}), "");
}

TEST(NvSwitchText, NameTheGpus) {
  const Graph graph = platform("dgx-a100");

  EXPECT_EQ(nvswitch_label(Facts(graph)), "6 NVSwitches");
  EXPECT_EQ(nvswitch_text(Facts(graph)), "12 NVLinks, 240 GB/s from each of GPU0-GPU7");
}

TEST(NvSwitchText, CountTheGpusOfSeveralHosts) {
  const Graph graph = platform("gb200-nvl72");

  EXPECT_EQ(nvswitch_label(Facts(graph)), "NVSwitch");
  EXPECT_EQ(nvswitch_text(Facts(graph)), "18 NVLinks, 722 GB/s from each of 72 GPUs on 18 hosts");
}

TEST(NvSwitchText, TellGpusWithFewerLinksApart) {
  System system = *built_in_platform("dgx-b200");
  system.cpus[1].devices[0].children[0].children[0].gpu->nvlinks[0].count -= 1;

  EXPECT_EQ(nvswitch_text(Facts(build_graph(std::move(system)))),
            "18 NVLinks, 722 GB/s from each of GPU0-GPU3, GPU5-GPU7; 17 NVLinks, 682 GB/s from "
            "GPU4");
}

TEST(ProcessorLinkText, OfTwoAndOfMany) {
  EXPECT_THAT(processor_link_texts(Facts(platform("dgx-h100")), 0),
              ElementsAre("CPU0 and CPU1, 22 GB/s"));
  EXPECT_THAT(processor_link_texts(Facts(platform("dgx-a100")), 0),
              ElementsAre("CPU0-CPU3 each to each, 16 GB/s"));
}

TEST(ProcessorLinkText, OfOneProcessorAreNone) {
  EXPECT_TRUE(processor_link_texts(Facts(build_graph(little_machine())), 0).empty());
}

TEST(ProcessorLinkText, SayThatTheSpeedIsNotKnown) {
  const System system{.cpus = {{.numa = 0}, {.numa = 1}}};

  EXPECT_THAT(processor_link_texts(Facts(build_graph(system)), 0),
              ElementsAre("CPU0 and CPU1, speed not known, NCCL counts 5000 GB/s"));
}

}  // namespace
}  // namespace linerate::topo
