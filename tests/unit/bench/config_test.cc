// Which group a rank belongs to.
#include "bench/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace linerate {
namespace {

using ::testing::ElementsAre;

using Kind = SplitRule::Kind;

std::vector<int> colors(const SplitRule& split) {
  std::vector<int> found;
  for (int rank = 0; rank < 6; ++rank) found.push_back(split.color(rank));
  return found;
}

TEST(SplitRule, KeepsAllRanksTogetherByDefault) {
  EXPECT_THAT(colors({}), ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(SplitRule, AppliesItsOperatorToTheRank) {
  EXPECT_THAT(colors({Kind::bit_and, 1}), ElementsAre(0, 1, 0, 1, 0, 1));
  EXPECT_THAT(colors({Kind::bit_or, 1}), ElementsAre(1, 1, 3, 3, 5, 5));
  EXPECT_THAT(colors({Kind::mod, 3}), ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(colors({Kind::div, 2}), ElementsAre(0, 0, 1, 1, 2, 2));
}

TEST(SplitRule, TakesAMaskOfSixtyFourBits) {
  EXPECT_THAT(colors({Kind::bit_and, UINT64_MAX}), ElementsAre(0, 1, 2, 3, 4, 5));
}

}  // namespace
}  // namespace linerate
