// One node of several, unlike the others in one thing.
#include "topo/lint/lint.h"
#include "unit/topo/lint/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate::topo {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Three nodes, the last of them as given.
std::vector<Finding> beside_two(const System& odd) {
  const auto usual = dumped();
  const std::vector<LintedNode> nodes{{.name = "a", .system = &usual},
                                      {.name = "b", .system = &usual},
                                      {.name = "c", .system = &odd}};
  return unlike_nodes(nodes);
}

TEST(UnlikeNodes, AreNoneAmongLike) { EXPECT_THAT(beside_two(dumped()), IsEmpty()); }

TEST(UnlikeNodes, AreNamedWithWhatTheyHaveAndWhatTheOthersHave) {
  auto odd = dumped();
  for (const auto* name : {"mlx5_2", "mlx5_3"}) nic(odd, name).nets[0].speed_mbps = 200000;

  const auto findings = beside_two(odd);

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "unlike-node");
  EXPECT_EQ(findings[0].severity, Severity::warning);
  EXPECT_EQ(findings[0].subject, "c");
  EXPECT_EQ(findings[0].evidence,
            "NIC ports: 2 x 200 Gb/s, 6 x 400 Gb/s; 2 of 3 nodes have 8 x 400 Gb/s.");
}

TEST(UnlikeNodes, AreFoundByEachTrait) {
  const auto evidence = [](auto change) {
    auto odd = dumped();
    change(odd);
    const auto findings = beside_two(odd);
    return findings.empty() ? std::string() : findings[0].evidence;
  };

  EXPECT_THAT(evidence([](System& s) { gpu(s, 3).gpu->nvlinks.pop_back(); }),
              HasSubstr("links of each GPU: 1 x 14, 7 x 18"));
  EXPECT_THAT(evidence([](System& s) { gpu(s, 3).link.width = 8; }),
              HasSubstr("PCI links of GPUs"));
  EXPECT_THAT(evidence([](System& s) { nic(s, "mlx5_1").link.width = 8; }),
              HasSubstr("PCI links of NICs"));
  EXPECT_THAT(evidence([](System& s) { nic(s, "mlx5_1").nets[0].gdr = false; }),
              HasSubstr("ports with GPUDirect"));
  EXPECT_THAT(evidence([](System& s) { s.cpus[0].model = 85; }), HasSubstr("processors"));
  EXPECT_THAT(evidence([](System& s) { s.driver = "550.54"; }),
              HasSubstr("driver: 550.54; 2 of 3 nodes have not known"));
}

TEST(UnlikeNodes, OfOtherGpusAreAnotherKind) {
  const auto h100 = dumped(), b200 = dumped("dgx-b200");
  const std::vector<LintedNode> nodes{{.name = "nodes 0-3", .system = &h100, .count = 4},
                                      {.name = "nodes 4-5", .system = &b200, .count = 2}};

  const auto findings = unlike_nodes(nodes);

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].severity, Severity::info);
  EXPECT_EQ(findings[0].evidence, "They have different GPUs: 4 with 10de:2330; 2 with 10de:2901.");
}

TEST(UnlikeNodes, OfAPairTheFirstIsWhatTheSecondShouldBe) {
  const auto first = dumped();
  auto second = dumped();
  nic(second, "mlx5_0").nets.clear();
  const std::vector<LintedNode> nodes{{.name = "a", .system = &first},
                                      {.name = "b", .system = &second}};

  for (const auto& finding : unlike_nodes(nodes)) EXPECT_EQ(finding.subject, "b");
  EXPECT_FALSE(unlike_nodes(nodes).empty());
}

}  // namespace
}  // namespace linerate::topo
