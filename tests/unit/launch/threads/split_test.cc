// Groups and rounds of a split, as pure data.
#include "launch/threads/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ColorGroups, OrderMembersByKeyThenByRank) {
  const std::vector<ThreadChoice> choices{{.color = 5, .key = 2, .process = 0},
                                          {.color = 5, .key = 1, .process = 0},
                                          {.color = 5, .key = 1, .process = 1},
                                          {.color = -1, .key = 0, .process = 1}};

  const auto groups = color_groups(choices);

  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].color, 5);
  EXPECT_THAT(groups[0].members, ElementsAre(1, 2, 0));
  EXPECT_THAT(groups[0].processes, ElementsAre(0, 1));
}

TEST(ColorGroups, PutTheProcessOfTheFirstRankFirst) {
  const std::vector<ThreadChoice> choices{{.color = 0, .key = 9, .process = 0},
                                          {.color = 0, .key = 1, .process = 1}};

  const auto groups = color_groups(choices);

  EXPECT_THAT(groups[0].processes, ElementsAre(1, 0));
}

TEST(SplitRounds, LeaveOutGroupsWithinOneProcess) {
  const std::vector<ColorGroup> groups{{0, {0, 1}, {0}}, {1, {2, 3}, {1}}};

  EXPECT_THAT(split_rounds(groups), IsEmpty());
}

TEST(SplitRounds, ServeGroupsOfDisjointProcessesAtOnce) {
  const std::vector<ColorGroup> groups{{0, {}, {0, 1}}, {1, {}, {1, 2}}, {2, {}, {2, 3}}};

  EXPECT_THAT(split_rounds(groups), ElementsAre(ElementsAre(0, 2), ElementsAre(1)));
}

}  // namespace
}  // namespace linerate
