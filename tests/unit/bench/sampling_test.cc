// Samples on the fake backend's clock: a sample's time, its skews, who is late, and batches.
#include "bench/sampling.h"

#include "support/sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace linerate {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr std::size_t kSampledBytes = 20'000;
constexpr double kSampledCallUs = 12;  // of 2 ranks: two messages of 5 us and 10000 B at 10 GB/s
constexpr double kCallOf4Us = 33;      // of 4 ranks: six messages of 5 us and 5000 B

// What rank 0 keeps of each set of threads; by default of all threads. With `nprocesses` also the
// times of so many processes, as if the threads were theirs.
std::vector<SampleReduction> samples(const FakeJob& job, const SamplePlan& plan,
                                     std::vector<ThreadSet> sets = {}, std::size_t nprocesses = 0) {
  if (sets.empty()) sets.emplace_back(static_cast<std::size_t>(job.nranks));
  if (sets.size() == 1) std::iota(sets.front().begin(), sets.front().end(), 0);
  std::vector<SampleReduction> reductions;
  for (const auto& set : sets) reductions.emplace_back(plan.samples, set.size());
  reductions.front().process_us.resize(nprocesses);
  run_sessions(job, [&](Session& session) {
    constexpr BufferSizes kSampledSizes{.bytes = kSampledBytes};
    session.allocate(kSampledSizes);
    const auto on_thread =
        case_on_thread(session, case_of("all_reduce", kSampledBytes), kSampledSizes);
    CallIssuer issuer(session, on_thread);
    std::vector<SampleReduction> none;
    Sampler(session).run(issuer, plan, sets, session.is_first() ? reductions : none);
  });
  return reductions;
}

FakeOptions slow(int rank, double extra_us) {
  return {.slow_ranks = {{.rank = rank, .extra_us = extra_us}}};
}

TEST(Samples, TakeTheTimeOfACallWithoutTheBarrierBeforeIt) {
  const auto all = samples({.config = bench_config({.iters = 5})}, {.samples = 5});

  EXPECT_EQ(all.front().time_us.count(), 5U);
  EXPECT_THAT(all.front().time_us.kept(), Each(kSampledCallUs));
  EXPECT_THAT(all.front().arrival_skew_us.kept(), Each(0));
  EXPECT_THAT(all.front().exit_skew_us.kept(), Each(0));
}

// Rank 2 leaves each barrier and call 38 us late. The others wait for it within the call; it works
// for as long as they, but later.
TEST(Samples, OfASlowRankShowWhenItComesAndWhenItLeaves) {
  const auto all = samples({.nranks = 4, .fake = slow(2, 38)}, {.samples = 20});

  EXPECT_THAT(all.front().time_us.kept(), Each(kCallOf4Us + 38));
  EXPECT_THAT(all.front().arrival_skew_us.kept(), Each(38));
  EXPECT_THAT(all.front().exit_skew_us.kept(), Each(38));
  EXPECT_THAT(all.front().late_us_sum, ElementsAre(0, 0, 20 * 38, 0));
  EXPECT_THAT(all.front().last_to_last_us.kept(), Each(kCallOf4Us + 38));
  EXPECT_THAT(all.front().wait_us_sum, ElementsAre(20 * 38, 20 * 38, 0, 20 * 38));
  EXPECT_THAT(all.front().transfer_us_sum, ElementsAre(20 * kCallOf4Us, 20 * kCallOf4Us,
                                                       20 * (kCallOf4Us + 38), 20 * kCallOf4Us));
}

// Noise gives each rank its own time; the barrier lets them begin together.
TEST(Samples, OfSeveralThreadsTakeAsLongAsTheSlowestAndEndApart) {
  const auto all = samples({.fake = {.noise = 0.1}}, {.samples = 20}, {{0, 1}, {0}, {1}});

  for (std::size_t i = 0; i < 20; ++i) {
    const double one = all[1].time_us.kept()[i], other = all[2].time_us.kept()[i];
    EXPECT_EQ(all[0].time_us.kept()[i], std::max(one, other));
    EXPECT_EQ(all[0].arrival_skew_us.kept()[i], 0);
    EXPECT_NEAR(all[0].exit_skew_us.kept()[i], std::abs(one - other), 1e-9);
    EXPECT_NE(one, other);
  }
}

TEST(Samples, WithoutABarrierBetweenThemFollowEachOther) {
  const auto all =
      samples({.fake = slow(1, 30), .config = bench_config({.sync = Sync::none})}, {.samples = 20});

  EXPECT_THAT(all.front().time_us.kept(), Each(kSampledCallUs + 30));
  EXPECT_THAT(all.front().late_us_sum, ElementsAre(0, 20 * 30));
}

// Rank 3 is slow, and in the second group only.
TEST(Samples, OfGroupsAreThoseOfTheirOwnThreads) {
  const FakeJob halves{
      .nranks = 4,
      .fake = slow(3, 10),
      .config = bench_config({}, {.split = {.kind = SplitRule::Kind::div, .value = 2}})};

  const auto all = samples(halves, {.samples = 20}, {{0, 1, 2, 3}, {0, 1}, {2, 3}});

  EXPECT_THAT(all[0].time_us.kept(), Each(kSampledCallUs + 10));
  EXPECT_THAT(all[1].time_us.kept(), Each(kSampledCallUs));
  EXPECT_THAT(all[1].late_us_sum, ElementsAre(0, 0));
  EXPECT_THAT(all[2].time_us.kept(), Each(kSampledCallUs + 10));
  EXPECT_THAT(all[2].late_us_sum, ElementsAre(0, 20 * 10));
}

TEST(Samples, OfSeveralCallsAreTimesOfOne) {
  const auto all = samples({}, {.samples = 3, .batch = 4});

  EXPECT_THAT(all.front().time_us.kept(),
              ElementsAre(kSampledCallUs, kSampledCallUs, kSampledCallUs));
}

TEST(Samples, OfAProcessAreTheLongestOfItsThreads) {
  const FakeJob job{.nranks = 4, .fake = {.noise = 0.1}};

  const auto all = samples(job, {.samples = 5, .batch = 2}, {{0, 1, 2, 3}, {0, 1}, {2, 3}}, 2);

  ASSERT_EQ(all[0].process_us.size(), 2U);
  for (const std::size_t process : {0, 1})
    EXPECT_THAT(all[0].process_us[process],
                testing::Pointwise(testing::DoubleEq(), all[process + 1].time_us.kept()));
}

TEST(Samples, LeaveOutTheFirstThatAreSkipped) {
  const FakeJob job{.config = bench_config({.iters = 10})};

  const auto all = samples(job, {.samples = 10, .skip = 4});

  EXPECT_EQ(all.front().time_us.count(), 6U);
  EXPECT_EQ(all.front().skipped, 4U);
}

// Which of four slots the calls before and of one sample have written to.
std::vector<std::size_t> written_slots(SamplePlan plan) {
  plan.sliding_slots = 4;
  plan.block = 1;
  plan.interrupted = [] { return true; };
  std::vector<std::size_t> written;
  run_sessions({}, [&](Session& session) {
    constexpr BufferSizes kFourSlots{.bytes = 4 * kSampledBytes, .spare_bytes = kSampledBytes};
    session.allocate(kFourSlots);
    const auto on_thread =
        case_on_thread(session, case_of("all_reduce", kSampledBytes), kFourSlots);
    auto& local = session.ranks().front();
    const auto slot = [&](std::size_t number) {
      const View view = on_thread.layouts.front().recv_slot(local, number);
      return std::vector<std::byte>(view.begin(), view.end());
    };
    fill_sliding(session, on_thread, 4);
    std::vector<std::vector<std::byte>> before;
    for (std::size_t i = 0; i < 4; ++i) before.push_back(slot(i));
    CallIssuer issuer(session, on_thread);
    std::vector<SampleReduction> reductions(session.is_first() ? 1 : 0, SampleReduction(10, 2));
    Sampler(session).run(issuer, plan, {{0, 1}}, reductions);
    for (std::size_t i = 0; session.is_first() && i < 4; ++i)
      if (slot(i) != before[i]) written.push_back(i);
  });
  return written;
}

TEST(Samples, FollowACallOnTheSlotBeforeTheirFirst) {
  EXPECT_THAT(written_slots({.samples = 4}), ElementsAre(0, 3));
  EXPECT_THAT(written_slots({.samples = 2, .lead_in = 4}), ElementsAre(0, 1));
  EXPECT_THAT(written_slots({.samples = 1, .batch = 3}), ElementsAre(0, 1, 2));
  EXPECT_THAT(written_slots({.samples = 4, .lead_in = 2}), ElementsAre(0, 2, 3));
}

TEST(Samples, OfManyBlocksAreAllKept) {
  const FakeJob job{.config = bench_config({.iters = 3})};  // room for the stamps of 3 samples

  const auto all = samples(job, {.samples = 10});

  EXPECT_EQ(all.front().time_us.count(), 10U);
}

TEST(Samples, EndAfterABlockWhenInterrupted) {
  const auto all = samples({}, {.samples = 10, .block = 4, .interrupted = [] { return true; }});

  EXPECT_EQ(all.front().time_us.count(), 4U);
}

// A fifth of the calls takes three times as long.
TEST(Samples, OfTwoModesShowTheSlowOneInTheUpperPercentilesOnly) {
  const FakeJob job{.fake = {.bimodal = FakeOptions::Bimodal{.fraction = 0.2, .factor = 3}},
                    .config = bench_config({.iters = 1000})};

  const auto all = samples(job, {.samples = 1000});
  const auto summary = all.front().time_us.summary();

  EXPECT_EQ(summary.min, kSampledCallUs);
  EXPECT_EQ(summary.median, kSampledCallUs);
  EXPECT_EQ(summary.p95, 3 * kSampledCallUs);
  EXPECT_EQ(summary.p99, 3 * kSampledCallUs);
  EXPECT_EQ(summary.max, 3 * kSampledCallUs);
  EXPECT_NEAR(summary.mean, (0.8 + 0.2 * 3) * kSampledCallUs, 1);
}

TEST(BatchFor, IsOneWhereTheClockCostsNothingOrTheCallIsLong) {
  EXPECT_EQ(batch_for(10.0, 25.0), 1);
  EXPECT_EQ(batch_for(1.0, 0.0), 1);
  EXPECT_EQ(batch_for(0.0, 25.0), 1);
}

TEST(BatchFor, KeepsClockReadsWithinTwoPercentOfASample) {
  const int batch = batch_for(0.05, 25.0);

  EXPECT_GE(0.02 * 0.05 * batch, 0.025 - 1e-12);
  EXPECT_EQ(batch, 25);
}

}  // namespace
}  // namespace linerate
