// What one process' watch makes of time: threads that stand still, and stops of the process itself.
#include "launch/watch/protocol.h"

#include "launch/solo_bootstrap.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace linerate {
namespace {

constexpr auto kLimit = std::chrono::milliseconds(200);
constexpr std::int64_t kLongStopNs = 10'000'000'000;

std::int64_t now_ns() { return SteadyClock().now_ns(); }

// The watch of a job of one process, whose thread has just stood still for longer than it may.
class StandingStill : public ::testing::Test {
 protected:
  StandingStill() : process_(solo_bootstrap()), protocol_(parts(), 0, [](int) { return 0; }) {
    protocol_.enter(
        0, {.what = "barrier", .timeout_s = std::chrono::duration<double>(kLimit).count()});
    let_the_limit_pass();
  }
  ControlParts parts() { return set_up_control(*process_, {.deadline = Deadline::never()}); }
  static void let_the_limit_pass() { std::this_thread::sleep_for(kLimit + kLimit / 4); }

  std::unique_ptr<Bootstrap> process_;
  ControlProtocol protocol_;
};

TEST_F(StandingStill, IsALossOnceTheLimitHasPassed) {
  protocol_.react({}, now_ns());

  EXPECT_EQ(protocol_.losses().verdict().size(), 1u);
}

TEST_F(StandingStill, IsNoLossWhereTheWholeProcessWasStopped) {
  protocol_.react({}, now_ns() - kLongStopNs);

  EXPECT_TRUE(protocol_.losses().empty());
}

TEST_F(StandingStill, IsALossWhenItGoesOnAfterAStop) {
  protocol_.react({}, now_ns() - kLongStopNs);
  let_the_limit_pass();
  protocol_.react({}, now_ns());

  EXPECT_EQ(protocol_.losses().verdict().size(), 1u);
}

TEST_F(StandingStill, IsALossAlsoWhereTheWatchIsABitLate) {
  constexpr std::int64_t kBusyHostNs = 100'000'000;

  protocol_.react({}, now_ns() - kBusyHostNs);

  EXPECT_EQ(protocol_.losses().verdict().size(), 1u);
}

}  // namespace
}  // namespace linerate
