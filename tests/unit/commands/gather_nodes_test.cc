// What rank 0 makes of what the nodes of a job told it.
#include "commands/gather_nodes.h"

#include <gmock/gmock.h>

#include <array>

namespace linerate {
namespace {

using testing::HasSubstr;

NodeReport report_of(const std::string& hostname, double clock_s = 1000) {
  return {.hostname = hostname,
          .snapshot = node::snapshot_text({.node = hostname, .facts = {{"processor", "A CPU"}}}),
          .clock_s = clock_s};
}

TEST(GatheredNodes, NamesANodeThatCouldNotBeReadAndKeepsTheOthers) {
  std::array reports{report_of("a"), report_of("b"), report_of("c")};
  reports[1].snapshot.clear();
  reports[1].unread = "took more than 60 s";
  reports[2].snapshot = "{}";

  const auto nodes = gathered(reports);

  ASSERT_EQ(nodes.snapshots.size(), 1U);
  EXPECT_EQ(nodes.snapshots[0].node, "a");
  ASSERT_EQ(nodes.unread.size(), 2U);
  EXPECT_EQ(nodes.unread[0].subject, "b");
  EXPECT_EQ(nodes.unread[0].severity, Severity::problem);
  EXPECT_THAT(nodes.unread[0].evidence, HasSubstr("Reading it took more than 60 s."));
  EXPECT_EQ(nodes.unread[1].subject, "c");
}

TEST(GatheredNodes, TellsHostsOfOneNameApart) {
  const auto nodes = gathered(std::array{report_of("localhost"), report_of("localhost")});

  ASSERT_EQ(nodes.snapshots.size(), 2U);
  EXPECT_EQ(nodes.snapshots[0].node, "localhost");
  EXPECT_EQ(nodes.snapshots[1].node, "localhost (2)");
}

TEST(GatheredNodes, AreComparedByTheirClocksAndSettings) {
  std::array reports{report_of("a"), report_of("b", 1003.2), report_of("c", 1000.4)};
  reports[2].settings = "NCCL_ALGO=Ring";

  const auto findings = node::unlike_nodes(gathered(reports).snapshots);

  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].subject, "c");
  EXPECT_EQ(findings[0].severity, Severity::problem);
  EXPECT_THAT(findings[0].evidence, HasSubstr("settings of NCCL: 'NCCL_ALGO=Ring', and none"));
  EXPECT_EQ(findings[1].subject, "b");
  EXPECT_THAT(findings[1].evidence, HasSubstr("clock: '+3 s', and '+0 s' on 2 other nodes"));
}

TEST(GatheredNodes, GetNothingToCompareByAlone) {
  auto report = report_of("a");
  report.settings = "NCCL_ALGO=Ring";
  EXPECT_EQ(gathered(std::array{report}).snapshots[0].facts.size(), 1U);
}

}  // namespace
}  // namespace linerate
