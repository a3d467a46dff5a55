// NVLinks, C2C and links between processors in words.
#include "topo/show/fabric_text.h"

#include "support/topo/shown_systems.h"
#include "topo/cluster/platforms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

using testing::ElementsAre;

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

TEST(SummaryWords, CountDevices) {
  EXPECT_EQ(summary_text(Facts(platform("dgx-h100"))), "2 NUMA nodes, 8 GPUs, 8 NIC ports");
  EXPECT_EQ(summary_text(Facts(platform("gb200-nvl72"))),
            "18 hosts, 36 NUMA nodes, 72 GPUs, 72 NIC ports");
}

TEST(SummaryWords, DoNotCountThePlaceOfDevicesThatNameNoMemoryNode) {
  auto system = *built_in_platform("dgx-h100");
  system.cpus.push_back({.numa = -1});

  EXPECT_EQ(summary_text(Facts(build_graph(system))), "2 NUMA nodes, 8 GPUs, 8 NIC ports");
}

TEST(NvLinkWords, OfSwitches) {
  EXPECT_EQ(text_of_first(platform("dgx-h100")), "18 NVLinks to 4 NVSwitches, 371 GB/s");
  EXPECT_EQ(text_of_first(platform("gb200-nvl72")), "18 NVLinks to NVSwitch, 722 GB/s");
}

TEST(NvLinkWords, OfPeersTellThoseWithAsManyTogether) {
  EXPECT_EQ(text_of_first(direct(2, 1)), "1 NVLink to GPU1, 20.6 GB/s");
  EXPECT_EQ(text_of_first(direct(4, 6)), "2 NVLinks each to GPU1-GPU3, 41.2 GB/s each");
  EXPECT_EQ(text_of_first(direct(3, 3)),
            "2 NVLinks to GPU1, 41.2 GB/s; 1 NVLink to GPU2, 20.6 GB/s");
}

TEST(NvLinkWords, OfAGpuWithoutAnyAreNone) { EXPECT_EQ(text_of_first(direct(2, 0)), ""); }

TEST(NvLinkWords, SayHowManyAreUp) {
  const Graph graph = build_graph(worn_machine());

  EXPECT_EQ(text_of_first(graph), "17 of 18 NVLinks to 1 NVSwitch, 350 GB/s");
  EXPECT_TRUE(lacks_nvlinks(*graph.node(graph.of(NodeKind::gpu)[0]).gpu));
}

TEST(NvLinkWords, SayThatAllAreDown) {
  System system = worn_machine();
  system.cpus[0].devices[0].children[0].children[0].gpu->nvlinks[0].count = 0;

  EXPECT_EQ(text_of_first(build_graph(std::move(system))), "0 of 18 NVLinks");
}

TEST(NvLinkWords, OfSeveralPeersSayHowManyAreUpInAll) {
  NodeShape shape{.numas = 1, .switches = 0, .gpus = 3, .nics = 0};
  shape.gpu.nvlinks = 3;
  shape.gpu.nvswitches = 0;
  System system = system_of(shape);
  system.cpus[0].devices[0].gpu->nvlinks[1].capacity = 4;

  EXPECT_EQ(text_of_first(build_graph(std::move(system))),
            "2 NVLinks to GPU1, 41.2 GB/s; 1 NVLink to GPU2, 20.6 GB/s; 3 of 4 NVLinks in all");
}

TEST(C2cWords, HaveTheBandwidthOfAllLinks) {
  EXPECT_EQ(c2c_text({.c2c = C2c{44712, 5}}), "C2C to its CPU, 224 GB/s");
  EXPECT_EQ(c2c_text({}), "");
}

TEST(NvSwitchWords, NameTheGpus) {
  const Graph graph = platform("dgx-a100");

  EXPECT_EQ(nvswitch_label(Facts(graph)), "6 NVSwitches");
  EXPECT_EQ(nvswitch_text(Facts(graph)), "12 NVLinks, 240 GB/s from each of GPU0-GPU7");
}

TEST(NvSwitchWords, CountTheGpusOfSeveralHosts) {
  const Graph graph = platform("gb200-nvl72");

  EXPECT_EQ(nvswitch_label(Facts(graph)), "NVSwitch");
  EXPECT_EQ(nvswitch_text(Facts(graph)), "18 NVLinks, 722 GB/s from each of 72 GPUs on 18 hosts");
}

TEST(NvSwitchWords, TellGpusWithFewerLinksApart) {
  System system = *built_in_platform("dgx-b200");
  system.cpus[1].devices[0].children[0].children[0].gpu->nvlinks[0].count -= 1;

  EXPECT_EQ(nvswitch_text(Facts(build_graph(std::move(system)))),
            "18 NVLinks, 722 GB/s from each of GPU0-GPU3, GPU5-GPU7; 17 NVLinks, 682 GB/s from "
            "GPU4");
}

TEST(ProcessorLinkWords, OfTwoAndOfMany) {
  EXPECT_THAT(processor_link_texts(Facts(platform("dgx-h100")), 0),
              ElementsAre("CPU0 and CPU1, 22 GB/s"));
  EXPECT_THAT(processor_link_texts(Facts(platform("dgx-a100")), 0),
              ElementsAre("CPU0-CPU3 each to each, 16 GB/s"));
}

TEST(ProcessorLinkWords, OfOneProcessorAreNone) {
  EXPECT_TRUE(processor_link_texts(Facts(build_graph(little_machine())), 0).empty());
}

TEST(ProcessorLinkWords, SayThatTheSpeedIsNotKnown) {
  const System system{.cpus = {{.numa = 0}, {.numa = 1}}};

  EXPECT_THAT(processor_link_texts(Facts(build_graph(system)), 0),
              ElementsAre("CPU0 and CPU1, speed not known, NCCL counts 5000 GB/s"));
}

}  // namespace
}  // namespace linerate::topo
