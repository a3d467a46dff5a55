// A case on the fake backend's clock: what rank 0 holds of it, step by step.
#include "bench/case_runner.h"

#include "support/sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

constexpr std::size_t kBytes = 20'000;
constexpr std::int64_t kCallNs = 12'000;  // of 2 ranks: two messages of 5 us and 10000 B at 10 GB/s

CaseRun all_reduce() {
  return {.what = case_of("all_reduce", kBytes), .sizes = {.bytes = kBytes, .spare_bytes = kBytes}};
}

TEST(CaseRunner, TimesTheWindowOfEachThreadOnce) {
  const auto m = measure_case({.config = bench_config({.iters = 7, .agg_iters = 3})}, all_reduce());

  EXPECT_EQ(m.iters, 7U);
  ASSERT_THAT(m.thread_times, SizeIs(2));
  EXPECT_EQ(m.thread_times[0].elapsed_ns, 21 * kCallNs);
  EXPECT_EQ(m.thread_times[1].elapsed_ns, 21 * kCallNs);
}

TEST(CaseRunner, TakesAsManySamplesAsIterations) {
  const auto m = measure_case({.config = bench_config({.iters = 7, .agg_iters = 3})}, all_reduce());

  ASSERT_THAT(m.samples, SizeIs(1));
  EXPECT_EQ(m.samples.front().time_us.count(), 7U);
  EXPECT_THAT(m.samples.front().time_us.kept(), Each(12));
}

TEST(CaseRunner, AddsUpTheWindowsOfAStoppingRule) {
  auto config = bench_config({.iters = 10});
  config.stop.max_s = 500e-6;  // a window and its samples with their barriers take 250 us and 2

  const auto m = measure_case({.config = config}, all_reduce());

  EXPECT_EQ(m.iters, 20U);
  EXPECT_EQ(m.thread_times[0].elapsed_ns, 20 * kCallNs);
  EXPECT_EQ(m.samples.front().time_us.count(), 20U);
}

TEST(CaseRunner, KeepsHowLateEachThreadCame) {
  const auto m = measure_case({.nranks = 3,
                               .fake = {.slow_ranks = {{.rank = 1, .extra_us = 6}}},
                               .config = bench_config({.iters = 10})},
                              all_reduce());

  EXPECT_THAT(m.samples.front().late_us_sum, ElementsAre(0, 60, 0));
}

TEST(CaseRunner, KeepsSamplesOfEachGroup) {
  const FakeJob halves{.nranks = 4,
                       .fake = {.slow_ranks = {{.rank = 1, .extra_us = 6}}},
                       .config = bench_config({.iters = 10}, {.split = {SplitRule::Kind::mod, 2}})};

  const auto m = measure_case(halves, all_reduce());

  ASSERT_THAT(m.samples, SizeIs(3));  // of all, of ranks 0 and 2, of ranks 1 and 3
  EXPECT_THAT(m.samples[0].time_us.kept(), Each(18));
  EXPECT_THAT(m.samples[1].time_us.kept(), Each(12));
  EXPECT_THAT(m.samples[2].time_us.kept(), Each(18));
}

TEST(CaseRunner, TellsHowLongTheVeryFirstCallTook) {
  run_sessions({.config = bench_config({.warmup_iters = 3})}, [](Session& session) {
    const auto run = all_reduce();
    session.allocate(run.sizes);
    CaseRunner runner(session, {.buffers = run.sizes});
    session.align();  // so that the clock does not begin at 0

    runner.run(run.what, Placement::out_of_place);
    EXPECT_EQ(runner.first_call_us(), 12);
    runner.run(case_of("all_reduce", 8), Placement::out_of_place);
    EXPECT_EQ(runner.first_call_us(), 12);
  });
}

TEST(CaseRunner, TellsNothingOfAFirstCallThatWasMeasured) {
  run_sessions({.config = bench_config({.warmup_iters = 0})}, [](Session& session) {
    const auto run = all_reduce();
    session.allocate(run.sizes);
    CaseRunner runner(session, {.buffers = run.sizes});

    runner.run(run.what, Placement::out_of_place);

    EXPECT_FALSE(runner.first_call_us());
  });
}

TEST(CaseRunner, CallsTheLargestCaseBeforeTheFirstWindowAlone) {
  const auto untimed_ns = [](const Case* largest) {
    std::vector<std::int64_t> took_ns;
    run_sessions({.config = bench_config({.iters = 1})}, [&](Session& session) {
      const auto run = all_reduce();
      session.allocate(run.sizes);
      CaseRunner runner(session, {.buffers = run.sizes, .largest = largest});
      for (int i = 0; i < 2; ++i) {
        const auto start_ns = session.clock().now_ns();
        runner.run(case_of("all_reduce", 8), Placement::out_of_place);
        if (session.is_first()) took_ns.push_back(session.clock().now_ns() - start_ns);
      }
    });
    return took_ns;
  };
  const auto largest = case_of("all_reduce", kBytes);
  const auto with = untimed_ns(&largest), without = untimed_ns(nullptr);

  EXPECT_GE(with[0] - without[0], kCallNs);
  EXPECT_EQ(with[1], without[1]);
}

TEST(CaseRunner, ChecksEveryRankInEachRoundAndNothingWithoutOne) {
  EXPECT_THAT(measure_case({.nranks = 3, .config = bench_config({}, {}, {.check = 2})}).checks,
              SizeIs(6));
  EXPECT_THAT(measure_case({.config = bench_config({}, {}, {.check = 0})}).checks, SizeIs(0));
}

// alltoall has no defined result in place.
TEST(CaseRunner, ChecksNothingThatIsNotDefined) {
  const auto m =
      measure_case({}, {.what = case_of("all_to_all", 1024), .placement = Placement::in_place});

  EXPECT_FALSE(m.checked);
  EXPECT_THAT(m.checks, SizeIs(0));
}

}  // namespace
}  // namespace linerate
