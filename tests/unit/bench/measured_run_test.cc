// The instrument's own cost on the fake backend's clock, which stands still but for calls.
#include "bench/measured_run.h"

#include "support/sessions.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

TimingInfo calibrated(const FakeJob& job) {
  TimingInfo timing;
  run_sessions(job, [&](Session& session) {
    const auto mine = calibrate(session);
    if (session.is_first()) timing = mine;
  });
  return timing;
}

TEST(Calibrate, MeasuresTheBarrier) {
  EXPECT_EQ(calibrated({}).barrier_cost_us, 1);
  EXPECT_EQ(calibrated({}).barrier_least_us, 1);
}

TEST(Calibrate, CountsTheWaitForASlowRankIntoTheBarrier) {
  EXPECT_EQ(calibrated({.fake = {.slow_ranks = {{.rank = 1, .extra_us = 4}}}}).barrier_cost_us, 5);
}

TEST(Calibrate, FindsAClockThatStandsStillFree) {
  EXPECT_EQ(calibrated({}).clock_cost_ns, 0);
  EXPECT_EQ(calibrated({}).clock_error_us, 0);
}

}  // namespace
}  // namespace linerate
