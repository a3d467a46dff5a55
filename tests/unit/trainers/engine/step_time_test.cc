// A step's time, split by made-up intervals.
#include "trainers/engine/step_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace linerate::trainers {
namespace {

constexpr std::int64_t kUs = 1000;

double sum_of(const StepTime& time) { return time.compute_us + time.exposed_us() + time.idle_us; }

TEST(StepTime, HidesWhatRunsBesideCompute) {
  const std::array<CallSpan, 1> calls{
      {{.purpose = "gradient", .start_ns = 10 * kUs, .end_ns = 40 * kUs}}};

  const auto time = step_time({0, 100 * kUs}, {}, calls);

  EXPECT_DOUBLE_EQ(time.compute_us, 100);
  EXPECT_DOUBLE_EQ(time.exposed_us(), 0);
  EXPECT_DOUBLE_EQ(time.overlap(), 1);
}

TEST(StepTime, ExposesACallWhileComputeWaits) {
  const std::array<WaitSpan, 1> waits{{{.at = {30 * kUs, 60 * kUs}}}};
  const std::array<CallSpan, 1> calls{
      {{.purpose = "gradient", .start_ns = 10 * kUs, .end_ns = 50 * kUs}}};

  const auto time = step_time({0, 100 * kUs}, waits, calls);

  EXPECT_DOUBLE_EQ(time.compute_us, 70);
  EXPECT_DOUBLE_EQ(time.exposed_us(), 20);
  EXPECT_DOUBLE_EQ(time.idle_us, 10);
  EXPECT_DOUBLE_EQ(time.overlap(), 0.5);
}

TEST(StepTime, SplitsWhatIsExposedAtTheLastRanksStart) {
  const std::array<WaitSpan, 1> waits{{{.at = {0, 60 * kUs}}}};
  const std::array<CallSpan, 1> calls{{{.purpose = "gradient",
                                        .start_ns = 10 * kUs,
                                        .end_ns = 50 * kUs,
                                        .last_start_ns = 35 * kUs,
                                        .last_rank = 3}}};

  const auto time = step_time({0, 60 * kUs}, waits, calls);

  ASSERT_EQ(time.purposes.size(), 1u);
  EXPECT_DOUBLE_EQ(time.purposes[0].exposed_wait_us, 25);
  EXPECT_DOUBLE_EQ(time.purposes[0].exposed_transfer_us, 15);
  ASSERT_EQ(time.waited_for.size(), 1u);
  EXPECT_EQ(time.waited_for[0].rank, 3);
  EXPECT_DOUBLE_EQ(time.waited_for[0].us, 25);
}

TEST(StepTime, AddsUpByAxisAndPurpose) {
  const std::array<WaitSpan, 2> waits{{{.at = {0, 10 * kUs}}, {.at = {20 * kUs, 30 * kUs}}}};
  const std::array<CallSpan, 4> calls{
      {{.axis = "dp", .purpose = "gradient", .bytes = 5, .start_ns = 0, .end_ns = 10 * kUs},
       {.axis = "dp", .purpose = "norm", .bytes = 1, .start_ns = 12 * kUs, .end_ns = 20 * kUs},
       {.axis = "dp", .purpose = "gradient", .bytes = 7, .start_ns = 20 * kUs, .end_ns = 26 * kUs},
       {.axis = "tp", .purpose = "norm", .bytes = 3, .start_ns = 30 * kUs, .end_ns = 31 * kUs}}};

  const auto time = step_time({0, 40 * kUs}, waits, calls);

  ASSERT_EQ(time.purposes.size(), 3u);
  EXPECT_EQ(time.purposes[0].purpose, "gradient");
  EXPECT_EQ(time.purposes[0].calls, 2u);
  EXPECT_EQ(time.purposes[0].bytes, 12u);
  EXPECT_DOUBLE_EQ(time.purposes[0].total_us, 16);
  EXPECT_DOUBLE_EQ(time.purposes[1].exposed_us(), 0);
  EXPECT_EQ(time.purposes[2].axis, "tp");
  EXPECT_EQ(time.purposes[2].bytes, 3u);
  EXPECT_DOUBLE_EQ(sum_of(time), time.step_us);
}

TEST(StepTime, ClampsACommonStartToTheCall) {
  const std::array<WaitSpan, 1> waits{{{.at = {0, 20 * kUs}}}};
  const std::array<CallSpan, 1> calls{
      {{.purpose = "gradient", .start_ns = 0, .end_ns = 20 * kUs, .last_start_ns = 25 * kUs}}};

  const auto time = step_time({0, 20 * kUs}, waits, calls);

  EXPECT_DOUBLE_EQ(time.purposes[0].exposed_wait_us, 20);
  EXPECT_DOUBLE_EQ(time.purposes[0].exposed_transfer_us, 0);
}

TEST(StepTime, CountsAMomentOfTwoCallsForTheFirst) {
  const std::array<WaitSpan, 1> waits{{{.at = {0, 40 * kUs}}}};
  const std::array<CallSpan, 2> calls{
      {{.axis = "dp", .purpose = "later", .start_ns = 10 * kUs, .end_ns = 30 * kUs},
       {.axis = "tp", .purpose = "first", .start_ns = 5 * kUs, .end_ns = 20 * kUs}}};

  const auto time = step_time({0, 50 * kUs}, waits, calls);

  ASSERT_EQ(time.purposes.size(), 2u);
  EXPECT_EQ(time.purposes[0].purpose, "first");
  EXPECT_DOUBLE_EQ(time.purposes[0].exposed_us(), 15);
  EXPECT_DOUBLE_EQ(time.purposes[1].exposed_us(), 10);
  EXPECT_DOUBLE_EQ(time.idle_us, 15);
  EXPECT_DOUBLE_EQ(sum_of(time), time.step_us);
}

TEST(StepTime, ChargesAWaitToTheStreamThatItIsFor) {
  const CallSpan receive{.axis = "pp",
                         .purpose = "activation",
                         .stream = "pp from stage 0",
                         .start_ns = 0,
                         .end_ns = 90 * kUs,
                         .last_start_ns = 80 * kUs};
  const CallSpan sum{
      .axis = "tp", .purpose = "forward", .stream = "tp", .start_ns = 20 * kUs, .end_ns = 40 * kUs};
  const std::array<WaitSpan, 2> waits{{{.at = {10 * kUs, 40 * kUs}, .stream = "tp"},
                                       {.at = {70 * kUs, 90 * kUs}, .stream = "pp from stage 0"}}};

  const auto time = step_time({0, 100 * kUs}, waits, std::array{receive, sum});

  ASSERT_EQ(time.purposes.size(), 2u);
  EXPECT_DOUBLE_EQ(time.purposes[0].exposed_us(), 20);
  EXPECT_DOUBLE_EQ(time.purposes[1].exposed_us(), 20);
  EXPECT_DOUBLE_EQ(time.idle_us, 10);
  EXPECT_DOUBLE_EQ(sum_of(time), time.step_us);
}

TEST(StepTime, ChargesAWaitToTheStreamBeforeTheOneThatItIsFor) {
  const std::array<CallSpan, 2> calls{
      {{.purpose = "shard", .stream = "dp_shard", .start_ns = 0, .end_ns = 30 * kUs},
       {.purpose = "replicas",
        .stream = "dp_replicate",
        .start_ns = 30 * kUs,
        .end_ns = 40 * kUs}}};
  const std::array<WaitSpan, 1> waits{
      {{.at = {10 * kUs, 40 * kUs}, .stream = "dp_replicate", .before = "dp_shard"}}};

  const auto time = step_time({0, 50 * kUs}, waits, calls);

  EXPECT_DOUBLE_EQ(time.purposes[0].exposed_us(), 20);
  EXPECT_DOUBLE_EQ(time.purposes[1].exposed_us(), 10);
}

// A slower definition: each nanosecond for itself.
TEST(StepTime, AgreesWithALookAtEachMoment) {
  std::mt19937 random(7);
  const auto below = [&](int end) { return static_cast<std::int64_t>(random() % unsigned(end)); };
  for (int round = 0; round < 200; ++round) {
    std::vector<WaitSpan> waits;
    for (auto at = below(20); at < 90; at = waits.back().at.second + below(10))
      waits.push_back({.at = {at, at + 1 + below(9)}});
    std::vector<CallSpan> calls;
    for (auto left = below(8); left > 0; --left) {
      const auto start = below(90);
      calls.push_back({.purpose = "call", .start_ns = start, .end_ns = start + 1 + below(30)});
    }
    std::int64_t exposed = 0, idle = 0;
    for (const auto& wait : waits)
      for (auto at = wait.at.first; at < wait.at.second; ++at) {
        const bool busy = std::any_of(calls.begin(), calls.end(), [&](const CallSpan& call) {
          return call.start_ns <= at && at < call.end_ns;
        });
        ++(busy ? exposed : idle);
      }

    const auto time = step_time({0, 100}, waits, calls);

    EXPECT_NEAR(time.exposed_us() * kUs, static_cast<double>(exposed), 1e-6);
    EXPECT_NEAR(time.idle_us * kUs, static_cast<double>(idle), 1e-6);
  }
}

}  // namespace
}  // namespace linerate::trainers
