// The least time of windows that share a memory, worked by hand.
#include "bench/expect/joint_windows.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate {
namespace {

JointWindow window(int start_us, int end_us, double work_us) {
  return {.span = {.start_ns = start_us * 1000, .end_ns = end_us * 1000}, .work_us = work_us};
}

double least(const std::vector<JointWindow>& windows, std::size_t of = 0) {
  return least_us(windows, of);
}

TEST(JointWindows, OfOneAloneIsItsWork) { EXPECT_EQ(least({window(0, 50, 20)}), 20); }

TEST(JointWindows, HaveTheWorkOfAllInThemWhereTheyCoincide) {
  EXPECT_EQ(least({window(0, 50, 20), window(0, 50, 15), window(0, 50, 5)}), 40);
}

// Memory may have served the one that ended first before the other: 40 of its 60 us were its own,
// and of the other's 40 us no more than 20 fit between the two ends.
TEST(JointWindows, LeaveToOthersWhatFitsAfterTheirOwnEnd) {
  const std::vector<JointWindow> windows{window(0, 60, 40), window(0, 80, 40)};

  EXPECT_EQ(least(windows, 0), 60);
  EXPECT_EQ(least(windows, 1), 80);
}

TEST(JointWindows, AreNotDelayedByOthersBeforeOrAfterThem) {
  EXPECT_EQ(least({window(50, 80, 30), window(0, 50, 50), window(80, 120, 40)}), 30);
}

// The second one's work is inside whatever the straggler does.
TEST(JointWindows, CountThoseThatAreDoneBesideOneThatIsNot) {
  EXPECT_EQ(least({window(0, 50, 20), window(0, 50, 20), window(0, 1000, 20)}), 40);
}

// What is outside of the window is so for both others at the same time: 60 us of work, 10 outside.
TEST(JointWindows, CountTheTimeOutsideOnceForAllOthers) {
  EXPECT_EQ(least({window(0, 90, 30), window(0, 100, 30), window(0, 100, 30)}), 80);
}

}  // namespace
}  // namespace linerate
