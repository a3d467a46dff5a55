// Ranks that hang: stopped processes, and threads that do not get on.
#include "unit/launch/watch/watch_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace linerate {
namespace {

using testing::Each;
using testing::Eq;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr double kTimeoutS = 0.3;
constexpr Stage kWarmUp{
    .what = "warm-up", .collective = "all_reduce", .bytes = 1048576, .placement = "out of place"};
const std::vector<int> kFiveOnOneNode{0, 0, 0, 0, 0};
const std::vector<int> kTwoNodes{0, 0, 1, 1, 0};

void expect_that_a_stopped_process_is_named(const std::vector<int>& nodes, int stopped) {
  ForkedJob job(nodes, [](TestMember& member) { return wait_in_timed_loop(member, kTimeoutS); });
  ASSERT_THAT(heard(job, {0, 1, 2, 3, 4}), Each(Eq("ready")));

  job.signal(stopped, SIGSTOP);

  for (int rank = 0; rank < 5; ++rank) {
    if (rank == stopped) continue;
    EXPECT_THAT(
        job.heard(rank),
        MatchesRegex(fmt::format(
            "ranks {0}; timed_out true; rank {0} .node., pid {1}. is missing from all_reduce, "
            "1048576 bytes, out of place, timed loop: the others wait since [0-9.]* s; it "
            "does not answer .*",
            stopped, job.pid(stopped))));
  }
}

class StoppedProcess : public testing::TestWithParam<int> {};

TEST_P(StoppedProcess, IsNamedAsMissing) {
  expect_that_a_stopped_process_is_named(kFiveOnOneNode, GetParam());
}

TEST_P(StoppedProcess, IsNamedAsMissingAcrossNodes) {
  if (!has_network()) GTEST_SKIP() << "no interface but loopback: links between nodes need one";
  expect_that_a_stopped_process_is_named(kTwoNodes, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Anywhere, StoppedProcess, testing::Values(0, 1),
                         testing::PrintToStringParamName());

// As a batch system suspends a job, or Ctrl-Z: nobody is missing from it.
TEST(Watch, LetsAJobGoOnThatWasStoppedAsAWholeForLongerThanTheTimeout) {
  constexpr double kLongerS = 1.0;
  ForkedJob job({0, 0, 0}, [](TestMember& member) {
    const auto watch = start_watch(member, kLongerS);
    watch->enter(0, kTimedLoop);
    member.tell("ready");
    for (int i = 0; i < 30; ++i) (void)::poll(nullptr, 0, 20);  // 0.6 s of its own
    const auto failure = watch->failure();
    member.tell(failure ? text_of(*failure) : "goes on");
    watch->leave();
    return 0;
  });
  ASSERT_THAT(heard(job, {0, 1, 2}), Each(Eq("ready")));

  for (int rank = 0; rank < 3; ++rank) job.signal(rank, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::duration<double>(2.5 * kLongerS));
  for (int rank = 0; rank < 3; ++rank) job.signal(rank, SIGCONT);

  EXPECT_THAT(heard(job, {0, 1, 2}), Each(Eq("goes on")));
}

TEST(Watch, NamesTheThreadThatHasEnteredTheFewestStages) {
  ForkedJob job({0, 0, 0, 0}, [](TestMember& member) {
    const auto watch = Watch::start(member.bootstrap(), {.timeout_s = kTimeoutS,
                                                         .nthreads = 2,
                                                         .ranks_per_thread = 1,
                                                         .deadline = Deadline::never()});
    for (int thread = 0; thread < 2; ++thread) {
      watch->enter(thread, kWarmUp);
      if (member.bootstrap().rank() != 2 || thread != 1) watch->enter(thread, kTimedLoop);
    }
    member.tell(await_failure(*watch));
    return 4;
  });

  const auto reports = heard(job, {0, 1, 2, 3});

  EXPECT_THAT(reports, Each(Eq(reports[0])));
  EXPECT_THAT(reports[0],
              MatchesRegex("ranks 5; timed_out true; rank 5 .node0, pid [0-9]*. is missing from "
                           "all_reduce, 1048576 bytes, out of place, timed loop: the others wait "
                           "since [0-9.]* s; it is in stage warm-up"));
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(job.ended(rank), 4);
  EXPECT_EQ(lines_of(job.printed()), 1) << job.printed();
}

TEST(Watch, SaysThatNobodyIsMissingWhereAllHangInOneStage) {
  ForkedJob job({0, 0}, [](TestMember& member) { return wait_in_timed_loop(member, kTimeoutS); });
  ASSERT_THAT(heard(job, {0, 1}), Each(Eq("ready")));

  const auto reports = heard(job, {0, 1});

  EXPECT_THAT(reports, Each(HasSubstr("ranks ; timed_out true; no rank is missing")));
}

TEST(Watch, NamesTheRankThatHasBegunTheFewestCallsOfAStage) {
  ForkedJob job({0, 0, 0}, [](TestMember& member) {
    const auto watch = start_watch(member, kTimeoutS);
    const std::uint64_t calls = member.bootstrap().rank() == 1 ? 139 : 140;
    watch->count_calls(0, [calls] { return calls; });
    watch->enter(0, {.what = "timed loop", .collective = "all_reduce", .calls = 100});
    member.tell(await_failure(*watch));
    return 4;
  });

  EXPECT_THAT(heard(job, {0, 1, 2}),
              Each(MatchesRegex("ranks 1; timed_out true; rank 1 .* is missing from all_reduce, .*"
                                "it has begun 39 calls of this stage, others 40")));
}

// The calls of a thread that begins one whenever it is looked at, until it stops.
class Calls {
 public:
  std::function<std::uint64_t()> counter() {
    return [this] { return stopped_ ? begun_.load() : ++begun_; };
  }
  void stop() { stopped_ = true; }

 private:
  std::atomic<std::uint64_t> begun_ = 0;
  std::atomic<bool> stopped_ = false;
};

// Says whether the watch lets the thread be for several timeouts, then what it says of a thread
// without calls. Processes whose rank is in `calling` make calls in the first half.
int outlast_the_timeout(TestMember& member, const std::vector<int>& calling) {
  Calls calls;
  const auto watch = start_watch(member, kTimeoutS);
  if (std::ranges::find(calling, member.bootstrap().rank()) == calling.end()) calls.stop();
  watch->count_calls(0, calls.counter());
  watch->enter(0, kTimedLoop);
  std::this_thread::sleep_for(std::chrono::duration<double>(4 * kTimeoutS));
  member.tell(watch->failure() ? text_of(*watch->failure()) : "goes on");
  member.await();
  calls.stop();
  member.tell(await_failure(*watch));
  return 4;
}

void expect_no_timeout_while_some_call(const std::vector<int>& calling) {
  ForkedJob job({0, 0, 0},
                [&](TestMember& member) { return outlast_the_timeout(member, calling); });

  EXPECT_THAT(heard(job, {0, 1, 2}), Each(Eq("goes on")));
  for (const int rank : {0, 1, 2}) job.go(rank);
  EXPECT_THAT(heard(job, {0, 1, 2}), Each(HasSubstr("timed_out true")));
}

TEST(Watch, LetsAStageLastWhileItsCallsGoOn) { expect_no_timeout_while_some_call({0, 1, 2}); }

TEST(Watch, LetsAThreadWaitWhileOthersGetOn) {
  expect_no_timeout_while_some_call({1});
  expect_no_timeout_while_some_call({0, 2});
}

TEST(Watch, CountsNoCallsWhereTheCommunicatorsAreGone) {
  ForkedJob job({0, 0}, [](TestMember& member) {
    const auto watch = start_watch(member, kTimeoutS);
    watch->count_calls(0, [] { return std::uint64_t{0}; });
    const std::uint64_t calls = member.bootstrap().rank() == 0 ? 100 : 0;
    watch->enter(0, {.what = "end of the run", .calls = calls});
    member.tell(await_failure(*watch));
    return 4;
  });

  EXPECT_THAT(heard(job, {0, 1}), Each(HasSubstr("ranks ; timed_out true; no rank is missing")));
}

TEST(Watch, TimesASingleProcessToo) {
  ForkedJob job({0}, [](TestMember& member) { return wait_in_timed_loop(member, kTimeoutS); });
  ASSERT_EQ(job.heard(0), "ready");

  EXPECT_THAT(job.heard(0), HasSubstr("timed_out true"));
}

}  // namespace
}  // namespace linerate
