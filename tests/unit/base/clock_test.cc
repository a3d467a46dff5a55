// Deadlines on a clock that is moved by hand.
#include "base/clock.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

TEST(Deadline, NeverPassesByDefault) {
  EXPECT_FALSE(Deadline{}.bounded());
  EXPECT_FALSE(Deadline::never().passed());
  EXPECT_EQ(Deadline::never().poll_ms(), -1);
}

TEST(Deadline, OfNoTimeIsNone) {
  const ManualClock clock;

  EXPECT_FALSE(Deadline::after(clock, 0).bounded());
  EXPECT_FALSE(Deadline::after(clock, -1).bounded());
}

TEST(Deadline, PassesAtItsMoment) {
  ManualClock clock;
  clock.set(1'000);
  const auto deadline = Deadline::after(clock, 1.5);

  clock.advance(1'499'999'999);
  EXPECT_FALSE(deadline.passed());

  clock.advance(1);
  EXPECT_TRUE(deadline.passed());
}

TEST(Deadline, RoundsMillisecondsUpSoThatAPollDoesNotSpin) {
  ManualClock clock;
  const auto deadline = Deadline::after(clock, 0.0015);

  EXPECT_EQ(deadline.poll_ms(), 2);
  clock.advance(1'499'999);
  EXPECT_EQ(deadline.poll_ms(), 1);
  clock.advance(1);
  EXPECT_EQ(deadline.poll_ms(), 0);
  clock.advance(1'000'000'000);
  EXPECT_EQ(deadline.poll_ms(), 0);
}

TEST(Deadline, OfAnEternityDoesNotOverflow) {
  ManualClock clock;
  const auto deadline = Deadline::after(clock, 1e300);

  EXPECT_TRUE(deadline.bounded());
  EXPECT_FALSE(deadline.passed());
  EXPECT_GT(deadline.poll_ms(), 0);
}

TEST(SteadyClock, NeverGoesBack) {
  const SteadyClock clock;
  const auto first = clock.now_ns();

  EXPECT_GE(clock.now_ns(), first);
}

}  // namespace
}  // namespace linerate
