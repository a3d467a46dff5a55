// The lines below the table.
#include "output/health_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace linerate {
namespace {

EndInfo end_of(std::size_t found) {
  EndInfo end{.health = {{.hostname = "a", .samples = 3, .counters = 28, .unread = {"Xids: no"}},
                         {.hostname = "b", .samples = 3, .gpus = 1, .unread = {"Xids: no"}}}};
  for (std::size_t i = 0; i < found; ++i)
    end.findings.push_back({.rule = "health",
                            .subject = "node a: eth0",
                            .evidence = "rx_errors +1 (0 before)",
                            .advice = "look at the cable"});
  return end;
}

TEST(HealthLines, AreNoneWithoutTheWatch) { EXPECT_EQ(health_lines({}), ""); }

TEST(HealthLines, SayThatNothingMovedAndWhatWasNotReadOnce) {
  EXPECT_EQ(health_lines(end_of(0)),
            "# health: nothing moved: 28 counters and 1 GPU of 2 nodes, 6 samples\n"
            "# health: not read on 2 nodes: Xids: no\n");
}

TEST(HealthLines, TellEachThingThatMoved) {
  EXPECT_EQ(health_lines(end_of(1)),
            "# health: node a: eth0: rx_errors +1 (0 before); look at the cable\n"
            "# health: not read on 2 nodes: Xids: no\n");
}

TEST(HealthLines, AreSixteenAtMost) {
  const auto text = health_lines(end_of(20));

  EXPECT_NE(text.find("# health: and 4 more, in --jsonl\n"), std::string::npos);
  EXPECT_EQ(std::ranges::count(text, '\n'), 18);
}

}  // namespace
}  // namespace linerate
