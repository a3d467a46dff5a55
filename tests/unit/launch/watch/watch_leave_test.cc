// Processes that end as planned, or because of an error of their own.
#include "unit/launch/watch/watch_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace linerate {
namespace {

using testing::Each;
using testing::Eq;

// All leave when the parent says so; who has noticed a failure says it with its exit code.
int leave_when_told(TestMember& member) {
  const auto watch = start_watch(member);
  watch->enter(0, kTimedLoop);
  member.tell("ready");
  member.await();
  const int code = watch->failure() ? 4 : 0;
  watch->leave();
  return code;
}

// Leaving in the order `order`; after some of them the next waits until the one before is gone.
void expect_no_alarm(const std::vector<int>& nodes, std::vector<int> order, std::mt19937& random) {
  ForkedJob job(nodes, leave_when_told);
  const auto ready = heard(job, order);
  ASSERT_THAT(ready, Each(Eq("ready")));

  std::vector<int> running;
  for (const int rank : order) {
    job.go(rank);
    if (random() % 2 == 0)
      running.push_back(rank);
    else
      EXPECT_EQ(job.ended(rank), 0);
  }

  for (const int rank : running) EXPECT_EQ(job.ended(rank), 0);
  EXPECT_EQ(job.printed(), "");
}

void expect_no_alarm_in_any_order(const std::vector<int>& nodes, unsigned seed, int repeats) {
  std::mt19937 random(seed);
  std::vector<int> order(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < repeats && !testing::Test::HasFailure(); ++i) {
    std::shuffle(order.begin(), order.end(), random);
    expect_no_alarm(nodes, order, random);
  }
}

class PlannedEnd : public testing::TestWithParam<unsigned> {};

TEST_P(PlannedEnd, IsNoLoss) { expect_no_alarm_in_any_order({0, 0, 0, 0, 0}, GetParam(), 15); }

TEST_P(PlannedEnd, IsNoLossAcrossNodes) {
  if (!has_network()) GTEST_SKIP() << "no interface but loopback: links between nodes need one";
  expect_no_alarm_in_any_order({0, 1, 2, 0, 1}, GetParam(), 15);
}

INSTANTIATE_TEST_SUITE_P(InAnyOrder, PlannedEnd, testing::Range(1u, 5u));

TEST(Watch, TellsTheOthersOfAnErrorOfItsOwn) {
  ForkedJob job({0, 0, 0, 0}, [](TestMember& member) {
    const auto watch = start_watch(member);
    if (member.bootstrap().rank() == 3) {
      watch->fail("The disk is full.");
      member.tell(text_of(watch->failure().value()));
      return 1;
    }
    member.tell(await_failure(*watch));
    return 4;
  });

  const auto reports = heard(job, {0, 1, 2, 3});

  EXPECT_THAT(reports,
              Each(Eq(fmt::format("ranks 3; timed_out false; rank 3 (node0, pid {}): The disk "
                                  "is full.",
                                  job.pid(3)))));
  EXPECT_EQ(job.ended(3), 1);
  EXPECT_EQ(lines_of(job.printed()), 1) << job.printed();
}

TEST(Watch, BlamesTheDeadAndNotThoseThatFailBecauseOfThem) {
  ForkedJob job({0, 0, 0, 0}, [](TestMember& member) {
    const auto watch = start_watch(member);
    member.tell("ready");
    if (member.bootstrap().rank() == 1) member.await();  // for ever
    try {
      member.bootstrap().barrier(Deadline::never());
    } catch (const PeerFailure& e) {
      watch->fail(e.what());
      member.tell(text_of(watch->failure().value()));
    }
    return 4;
  });
  ASSERT_THAT(heard(job, {0, 2, 3}), Each(Eq("ready")));

  job.signal(1, SIGKILL);

  EXPECT_THAT(heard(job, {0, 2, 3}), Each(testing::StartsWith("ranks 1;")));
}

}  // namespace
}  // namespace linerate
