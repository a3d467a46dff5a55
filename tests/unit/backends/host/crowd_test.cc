// Tests of crowd.h.
#include "backends/host/crowd.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate::host {
namespace {

CoreSet cores(std::initializer_list<std::size_t> numbers) {
  CoreSet set;
  for (const std::size_t number : numbers) set.set(number);
  return set;
}

TEST(Crowd, IsNoneWhereEachRankHasACoreOfItsOwn) {
  const std::vector masks{cores({0}), cores({1}), cores({2})};

  EXPECT_FALSE(crowded(masks, std::vector{0, 1, 2}));
}

TEST(Crowd, FormsWhenRanksOutnumberTheirCores) {
  const std::vector masks{cores({0, 1}), cores({0, 1}), cores({0, 1})};

  EXPECT_TRUE(crowded(masks, std::vector{0, 0, 0}));
}

TEST(Crowd, FormsWithinAProcessThatIsBoundToOneCore) {
  const std::vector masks{cores({0}), cores({0}), cores({1, 2, 3})};

  EXPECT_TRUE(crowded(masks, std::vector{0, 0, 2}));
}

TEST(Crowd, SeesTheCallingThreadsCores) { EXPECT_GE(usable_cores().count(), 1u); }

}  // namespace
}  // namespace linerate::host
