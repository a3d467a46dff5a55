// Which cores the other ranks of a node bring along.
#include "bench/limits/node_cores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CoreRanges ranges(std::vector<int> cores) { return ranges_of(cores); }

TEST(CoreRanges, AreShortForNeighbours) {
  EXPECT_THAT(ranges({0, 1, 2, 3, 96}), ElementsAre(0, 4, 96, 97));
  EXPECT_THAT(ranges({}), IsEmpty());
}

TEST(CoresBeside, AreThoseOfRanksThatAreBoundElsewhere) {
  const std::vector<CoreRanges> all{ranges({0, 8}), ranges({1, 9}), ranges({2})};

  EXPECT_THAT(cores_beside(all[0], all), ElementsAre(1, 2, 9));
}

TEST(CoresBeside, AreNoneWhereAllRanksHaveTheSame) {
  const std::vector<CoreRanges> all(4, ranges({0, 1, 2}));

  EXPECT_THAT(cores_beside(all[0], all), IsEmpty());
}

}  // namespace
}  // namespace linerate
