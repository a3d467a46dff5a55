// Many nodes beside each other: those that are not as the others are named, and no other.
#include "unit/diagnose/node/example.h"

#include <gmock/gmock.h>

namespace linerate::node {
namespace {

using testing::HasSubstr;

TEST(UnlikeNodes, NamesTheThreeOddOnesOfAThousand) {
  std::vector<Snapshot> nodes;
  for (int i = 0; i < 1000; ++i) nodes.push_back(healthy_node(fmt::format("node{:03}", i)));
  nodes[17].facts["/proc/driver/nvidia/version"] = "NVRM version: NVIDIA UNIX  535.54.03";
  nodes[404].facts["/sys/class/infiniband/mlx5_1/ports/1/rate"] = "200 Gb/sec (2X NDR)";
  nodes[999].facts["/sys/devices/system/cpu/*/cpufreq/scaling_governor"] = "powersave";

  const auto findings = unlike_nodes(nodes);

  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].subject, "node017");
  EXPECT_EQ(findings[0].severity, Severity::problem);
  EXPECT_THAT(findings[0].evidence, HasSubstr("535.54.03"));
  EXPECT_THAT(findings[0].evidence, HasSubstr("on 999 other nodes"));
  EXPECT_EQ(findings[1].subject, "node404");
  EXPECT_THAT(
      findings[1].evidence,
      HasSubstr("'200 Gb/sec (2X NDR), 400 Gb/sec (4X NDR)', and '400 Gb/sec (4X NDR) x2'"));
  EXPECT_EQ(findings[2].subject, "node999");
  EXPECT_EQ(findings[2].severity, Severity::warning);
}

TEST(UnlikeNodes, AreNoneWhereOnlyNamesOfDevicesDiffer) {
  const std::vector<Snapshot> nodes{healthy_node("a"), healthy_node("b"), healthy_node("c")};
  EXPECT_TRUE(unlike_nodes(nodes).empty());
}

TEST(UnlikeNodes, TakesMemoryForAlikeThatDiffersByLittle) {
  std::vector<Snapshot> nodes{healthy_node("a"), healthy_node("b"), healthy_node("c")};
  nodes[1].facts["memory"] = "1003.9 GiB";
  EXPECT_TRUE(unlike_nodes(nodes).empty());

  nodes[1].facts["memory"] = "976.2 GiB";
  const auto findings = unlike_nodes(nodes);

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].subject, "b");
  EXPECT_THAT(findings[0].evidence, HasSubstr("'976.2 GiB', and '1007.8 GiB' on 2 other nodes"));
}

TEST(UnlikeNodes, ComparesFirmwareOfGpusAndIndicesOfRoceAddresses) {
  std::vector<Snapshot> nodes{healthy_node("a"), healthy_node("b"), healthy_node("c")};
  nodes[1].facts["nvidia-smi 0000:18:00.0 vbios_version"] = "96.00.74.00.01";
  nodes[2].facts["roce index /sys/class/infiniband/mlx5_0/ports/1"] = "5";
  nodes[2].facts["nvidia-smi 0000:18:00.0 fabric.clusterUuid"] = "77";

  const auto findings = unlike_nodes(nodes);

  ASSERT_EQ(findings.size(), 3U);
  EXPECT_THAT(findings[0].evidence, HasSubstr("'96.00.74.00.01, 96.00.89.00.01'"));
  EXPECT_THAT(findings[1].evidence, HasSubstr("NCCL_IB_GID_INDEX"));
  EXPECT_EQ(findings[2].severity, Severity::info);
}

TEST(UnlikeNodes, NamesBothSidesOfTwo) {
  std::vector<Snapshot> nodes{healthy_node("a"), healthy_node("b")};
  nodes[1].facts.erase("/proc/driver/nvidia/version");

  const auto findings = unlike_nodes(nodes);

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].subject + findings[0].evidence, HasSubstr("none"));
  EXPECT_THAT(findings[0].evidence, testing::AnyOf(HasSubstr(" on a "), HasSubstr(" on b ")));
}

}  // namespace
}  // namespace linerate::node
