// Waits on a clock that is moved by hand.
#include "base/wait.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

constexpr std::int64_t kAwakeNs = 1'000;

TEST(WaitUntil, ReturnsAtTheMoment) {
  ManualClock clock;
  int times = 0;

  wait_until(clock, 300, kAwakeNs, [&] {
    clock.advance(100);
    ++times;
  });

  EXPECT_EQ(clock.now_ns(), 300);
  EXPECT_EQ(times, 3);
}

TEST(WaitUntil, DoesNotWaitForWhatHasPassed) {
  ManualClock clock;
  clock.set(5);

  wait_until(clock, 5, kAwakeNs, [] { FAIL(); });
}

TEST(WaitUntil, EndsWhereItsCallThrows) {
  const ManualClock clock;

  EXPECT_THROW(wait_until(clock, 300, kAwakeNs, [] { throw 1; }), int);
}

}  // namespace
}  // namespace linerate
