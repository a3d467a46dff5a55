// Ranges joined, and what two sets of them have in common.
#include "model/intervals.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

using Intervals = std::vector<Interval>;

TEST(Intervals, ThatTouchOrOverlapBecomeOne) {
  Intervals some{{8, 9}, {0, 4}, {4, 6}, {5, 7}};

  merge(some);

  EXPECT_EQ(some, (Intervals{{0, 7}, {8, 9}}));
  EXPECT_EQ(covered({{8, 9}, {0, 4}, {3, 6}}), 7U);
}

TEST(Intervals, HaveInCommonWhatLiesInBoth) {
  const Intervals some{{0, 10}, {20, 30}}, others{{5, 8}, {9, 22}, {29, 40}};

  EXPECT_EQ(covered_by_both(some, others), 3U + 1U + 2U + 1U);
  EXPECT_EQ(covered_by_both(others, some), covered_by_both(some, others));
}

TEST(Intervals, HaveNothingInCommonWhereTheyOnlyTouch) {
  EXPECT_EQ(covered_by_both({{0, 4}}, {{4, 8}}), 0U);
  EXPECT_EQ(covered_by_both({}, {{4, 8}}), 0U);
}

}  // namespace
}  // namespace linerate
