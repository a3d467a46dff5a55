// What waits for what, which calls are one, and what cannot be replayed.
#include "replay/plan.h"

#include "unit/replay/traces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(CommTrace trace) {
  const auto plan = plan_of(std::move(trace));
  return plan ? "" : plan.sentence();
}

Call reduce(const Shape& shape) { return collective(OpKind::all_reduce, shape); }

TEST(Plans, WaitForWhatHadEnded) {
  const std::vector<Call> calls{
      reduce({.start_us = 5, .time_us = 10}),   // to 15
      reduce({.start_us = 8, .time_us = 20}),   // beside it, to 28
      reduce({.start_us = 18, .time_us = 1}),   // after the first, beside the second
      reduce({.start_us = 30, .time_us = 1})};  // after all
  auto trace = trace_of({calls});
  trace.ranks[0].steps.push_back({.start_us = 1, .time_us = 50});

  const auto plan = plan_of(std::move(trace));

  ASSERT_TRUE(plan.ok()) << plan.sentence();
  std::vector<std::int64_t> after;
  std::vector<double> gaps;
  for (const auto& unit : plan->ranks[0]) {
    after.push_back(unit.after);
    gaps.push_back(unit.gap_us);
  }
  EXPECT_THAT(after, ElementsAre(-1, -1, 0, 1));
  EXPECT_THAT(gaps, ElementsAre(4, 3, 3, 2));
}

// 0.1 + 0.2 is more than 0.3 in binary fractions.
TEST(Plans, WaitForWhatEndedAtTheSameMoment) {
  auto plan = plan_of(trace_of(
      {{reduce({.start_us = 0.1, .time_us = 0.2}), reduce({.start_us = 0.3, .time_us = 1})}}));

  ASSERT_TRUE(plan.ok()) << plan.sentence();
  EXPECT_EQ(plan->ranks[0].at(1).after, 0);

  plan = plan_of(trace_of({{message(OpKind::send, 1, {.start_us = 0.1, .time_us = 0.2}),
                            message(OpKind::send, 1, {.start_us = 0.3, .time_us = 1})},
                           {message(OpKind::recv, 0, {.start_us = 0, .time_us = 1}),
                            message(OpKind::recv, 0, {.start_us = 2, .time_us = 1})}}));

  ASSERT_TRUE(plan.ok()) << plan.sentence();
  EXPECT_EQ(plan->ranks[0].size(), 2u);
}

TEST(Plans, JoinSendsAndReceivesThatOverlap) {
  const std::vector<Call> first{message(OpKind::send, 1, {}), message(OpKind::recv, 1, {})};
  auto second = first;
  for (auto& call : second) call.peer = 0;

  const auto plan = plan_of(trace_of({first, second}));

  ASSERT_TRUE(plan.ok()) << plan.sentence();
  ASSERT_EQ(plan->ranks[0].size(), 1u);
  EXPECT_EQ(plan->rows.at(0).name, kBatch);
  EXPECT_EQ(plan->rows.at(0).instances, 2u);
  EXPECT_EQ(plan->rows.at(0).sent_bytes, 2u * 4096);
}

TEST(Plans, CountAMessageOnce) {
  const auto plan =
      plan_of(trace_of({{message(OpKind::send, 1, {})}, {message(OpKind::recv, 0, {})}}));

  ASSERT_TRUE(plan.ok()) << plan.sentence();
  ASSERT_EQ(plan->rows.size(), 1u);
  EXPECT_EQ(plan->rows[0].name, kMessage);
  EXPECT_EQ(plan->rows[0].instances, 1u);
  EXPECT_EQ(plan->ranks[0][0].instance, plan->ranks[1][0].instance);
}

TEST(Plans, CountACollectiveOnce) {
  const auto plan = plan_of(trace_of({{reduce({}), reduce({.count = 9, .start_us = 20})},
                                      {reduce({}), reduce({.count = 9, .start_us = 20})}}));

  ASSERT_TRUE(plan.ok()) << plan.sentence();
  EXPECT_EQ(plan->instances, 2u);
  ASSERT_EQ(plan->rows.size(), 2u);
  EXPECT_EQ(plan->rows[0].instances, 1u);
  EXPECT_EQ(plan->rows[0].least_bytes, 4096u);
  EXPECT_EQ(plan->rows[0].sent_bytes, 2u * 4096);  // each half, twice
  EXPECT_EQ(plan->ranks[0][1].instance, plan->ranks[1][1].instance);
}

TEST(Plans, RefuseWhatRanksDisagreeOn) {
  EXPECT_THAT(
      refusal(trace_of({{reduce({.count = 8})}, {reduce({.count = 9})}})),
      HasSubstr("all_reduce of 8 float, sum on rank 0, all_reduce of 9 float, sum on rank 1"));
  EXPECT_THAT(refusal(trace_of({{reduce({})}, {}})), HasSubstr("1 of its 2 ranks does not"));
  EXPECT_THAT(refusal(trace_of({{message(OpKind::send, 1, {})}, {}})),
              HasSubstr("Rank 0 makes send"));
  Call parts{.kind = OpKind::all_to_all_v, .send_counts = {1, 2}, .recv_counts = {1, 2}};
  EXPECT_THAT(refusal(trace_of({{parts}, {parts}})),
              HasSubstr("rank 0 sends 2 elements to rank 1, which expects 1"));
}

TEST(Plans, RefuseMessagesThatAreNotOfOneSize) {
  const auto send = message(OpKind::send, 1, {.count = 4}),
             recv = message(OpKind::recv, 0, {.count = 8});
  EXPECT_THAT(refusal(trace_of({{send}, {recv}})),
              HasSubstr("Rank 0 sends 16 bytes to rank 1, which expects 32"));
  auto swap = message(OpKind::send_recv, 1, {.count = 2}), back = swap;
  swap.source = 1;
  back.peer = 0;
  back.count = 3;
  EXPECT_THAT(refusal(trace_of({{swap}, {back}})),
              HasSubstr("Rank 1 sends 12 bytes to rank 0, which expects 8"));
}

TEST(Plans, RefuseCallsThatMakeNoSense) {
  EXPECT_THAT(refusal(trace_of({{message(OpKind::send, 7, {})}})),
              HasSubstr("rank 7 of a group of 1"));
  EXPECT_THAT(refusal(trace_of({{}, {reduce({.group = 1})}}, {{0}})), HasSubstr("no part of"));
  EXPECT_THAT(refusal(trace_of({{reduce({.count = std::uint64_t{1} << 60})}})),
              HasSubstr("more elements than any call"));
  Call parts{.kind = OpKind::all_to_all_v, .send_counts = {1}, .recv_counts = {1}};
  EXPECT_THAT(refusal(trace_of({{parts}, {parts}})), HasSubstr("1 counts for 2 ranks"));
  EXPECT_THAT(refusal(trace_of({{reduce({}), reduce({.start_us = 1e300})}})),
              HasSubstr("Rank 0 begins a call 1e+294 s after the one before"));
}

TEST(Plans, RefuseACircle) {
  const Shape early{.group = 1, .start_us = 0}, late{.group = 0, .start_us = 20};
  const Shape early_all{.group = 0, .start_us = 0}, late_pair{.group = 1, .start_us = 20};

  EXPECT_EQ(
      refusal(trace_of({{reduce(early), reduce(late)}, {reduce(early), reduce(late)}}, {{0, 1}})),
      "");
  EXPECT_THAT(
      refusal(trace_of({{reduce(early), reduce(late)}, {reduce(early_all), reduce(late_pair)}},
                       {{0, 1}})),
      HasSubstr("wait for each other in a circle"));
}

// As in a pipeline: each direction has a group, and small sends end before anybody receives.
TEST(Plans, GoOnWhereSendsWereBuffered) {
  const auto of = [](OpKind kind, int peer, std::size_t group, double start_us) {
    return message(kind, peer, {.group = group, .start_us = start_us, .time_us = 1});
  };
  const std::vector<Call> first{of(OpKind::send, 1, 1, 0), of(OpKind::send, 1, 1, 2),
                                of(OpKind::recv, 1, 2, 10)},
      second{of(OpKind::recv, 0, 1, 0), of(OpKind::send, 0, 2, 5), of(OpKind::recv, 0, 1, 12)};

  const auto plan = plan_of(trace_of({first, second}, {{0, 1}, {0, 1}}));

  ASSERT_TRUE(plan.ok()) << plan.sentence();
  EXPECT_EQ(plan->ranks[0].at(2).gap_us, 8);
  EXPECT_EQ(plan->ranks[1].at(2).after, 0);
  EXPECT_EQ(plan->ranks[1].at(2).gap_us, 7);  // from the beginning of the send
  EXPECT_EQ(plan->rows.at(0).instances, 3u);
}

TEST(Plans, GoOnWhereCallsOfTwoGroupsOverlap) {
  const Shape pair{.group = 1, .start_us = 0}, all{.group = 0, .start_us = 1};
  const Shape all_first{.group = 0, .start_us = 0}, pair_second{.group = 1, .start_us = 1};

  EXPECT_EQ(refusal(trace_of(
                {{reduce(pair), reduce(all)}, {reduce(all_first), reduce(pair_second)}}, {{0, 1}})),
            "");
}

TEST(Splits, MakeGroupsWithoutCommonRanksAtOnce) {
  const std::vector<Group> groups{{{0, 1, 2, 3}}, {{0, 1}}, {{1, 2}}, {{2, 3}}};

  EXPECT_THAT(splits_of(groups, 4), ElementsAre(ElementsAre(0, 0, 0, 0), ElementsAre(1, 1, 3, 3),
                                                ElementsAre(-1, 2, 2, -1)));
}

}  // namespace
}  // namespace linerate::replay
