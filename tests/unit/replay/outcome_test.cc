// Times of the rank that waits for nobody; what is concluded, and what is not.
#include "replay/outcome.h"

#include "unit/replay/traces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::replay {
namespace {

using testing::HasSubstr;
using testing::Not;

// An all_reduce of two ranks, of which the second waits for the other: it takes `us`.
Plan waiting(double us) {
  auto early = collective(OpKind::all_reduce, {.start_us = 0, .time_us = 50 + us});
  auto late = collective(OpKind::all_reduce, {.start_us = 50, .time_us = us});
  return *plan_of(trace_of({{late}, {early}}));
}

Outcome outcome_of(const Plan& plan, double replayed_us) {
  const auto times = times_of(plan, {{replayed_us}, {replayed_us}});
  return {.trace = "t.jsonl",
          .origin = "train_ddp, host backend",
          .backend = "host",
          .steps_us = 1000,
          .recorded = times_of(plan, recorded_times(plan)),
          .replays = {times, times},
          .whole_us = {100, 100}};
}

TEST(Times, AreThoseOfTheRankThatWaitsForNobody) {
  const auto plan = waiting(100);

  const auto times = times_of(plan, recorded_times(plan));

  EXPECT_EQ(times.call_us.at(0), 100);
  EXPECT_EQ(times.known, 2u);
  EXPECT_EQ(times.waiting_us, 25);  // mean over two ranks
}

TEST(Times, AreNotKnownWhereARanksIsNot) {
  auto early = collective(OpKind::all_reduce, {.time_us = 150});
  auto late = early;
  late.time_us.reset();
  const auto plan = *plan_of(trace_of({{late}, {early}}));

  const auto times = times_of(plan, recorded_times(plan));

  EXPECT_TRUE(std::isnan(times.call_us.at(0)));
  EXPECT_EQ(times.known, 0u);
  EXPECT_EQ(times.waiting_us, 0);
}

TEST(Outcomes, SayWhetherTheFabricIsTheReason) {
  const auto plan = waiting(100);

  EXPECT_THAT(text_of(plan, outcome_of(plan, 40)),
              HasSubstr("2.50 times less: this fabric is not what slows them down"));
  EXPECT_THAT(text_of(plan, outcome_of(plan, 95)), HasSubstr("take as long (ratio 1.05)"));
  EXPECT_THAT(text_of(plan, outcome_of(plan, 300)), HasSubstr("3.00 times as long as recorded"));
}

TEST(Outcomes, DecideNothingWhereReplaysDiffer) {
  const auto plan = waiting(100);
  auto outcome = outcome_of(plan, 100);
  outcome.replays.front() = times_of(plan, {{50}, {50}});

  EXPECT_THAT(text_of(plan, outcome),
              HasSubstr("differ too much to tell: recorded is 1.00 to 2.00 times replayed"));
}

TEST(Outcomes, SayHowMuchIsWaiting) {
  EXPECT_THAT(text_of(waiting(100), outcome_of(waiting(100), 40)),
              HasSubstr("20 % of the recorded time in calls is waiting"));
  EXPECT_THAT(text_of(waiting(900), outcome_of(waiting(900), 40)),
              Not(HasSubstr("is waiting for")));
}

TEST(Outcomes, ClaimNothingOfATraceWithoutTimes) {
  auto call = collective(OpKind::all_reduce, {});
  call.time_us.reset();
  const auto plan = *plan_of(trace_of({{call}, {call}}));

  const auto text = text_of(plan, outcome_of(plan, 40));

  EXPECT_THAT(text, HasSubstr("the trace does not tell how long"));
  EXPECT_THAT(text, Not(HasSubstr("fabric is")));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

TEST(Outcomes, SumUpWhatIsKnown) {
  auto known = collective(OpKind::all_reduce, {.time_us = 100});
  auto unknown = collective(OpKind::all_gather, {.start_us = 200});
  unknown.time_us.reset();
  const auto plan = *plan_of(trace_of({{known, unknown}, {known, unknown}}));
  auto outcome = outcome_of(waiting(100), 40);
  outcome.recorded = times_of(plan, recorded_times(plan));
  for (auto& replay : outcome.replays) replay = times_of(plan, {{50, 900}, {50, 900}});

  const auto text = text_of(plan, outcome);

  EXPECT_THAT(text, HasSubstr("how long 2 of 4 calls took: what it tells nothing of"));
  EXPECT_THAT(text, HasSubstr("# replayed: 0.05 ms [0.05 ms, 0.05 ms]"));
  EXPECT_THAT(text, HasSubstr("2.00 times less"));
}

TEST(Outcomes, NameWhatWasLeftOut) {
  const auto plan = waiting(100);
  auto outcome = outcome_of(plan, 40);
  outcome.left_out["allreduce of Short"] = 3;

  EXPECT_THAT(text_of(plan, outcome), HasSubstr("# not replayed: allreduce of Short (3 times)"));
  EXPECT_THAT(json_lines_of(plan, outcome), HasSubstr(R"("left_out":{"allreduce of Short":3})"));
}

}  // namespace
}  // namespace linerate::replay
