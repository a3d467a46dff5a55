// How long stages waited for each other, added up over ranks.
#include "trainers/programs/stage_waits.h"

#include "support/spawn.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

constexpr trainers::Pipeline kTwoStages{.stages = 2, .micro_batches = 3};

// Two ranks of each stage.
TEST(StageWaits, AreSharesOfComputingAndWaiting) {
  StageWaitShares shares;
  spawn(4, [&](Bootstrap& member) {
    const int stage = member.rank() / 2;
    StageWaits waits;
    for (int step = 0; step < 2; ++step)
      waits.add({.purposes = {{.axis = "pp",
                               .purpose = "activation",
                               .exposed_wait_us = stage == 0 ? 10.0 : 25.0,
                               .exposed_transfer_us = 5},
                              {.axis = "dp_replicate", .exposed_wait_us = 1000}}},
                {.work = {{{.work = trainers::Work::forward}, {0, 50'000}},
                          {{.work = trainers::Work::backward}, {0, 20'000}},
                          {{.work = trainers::Work::optimizer}, {0, 900'000}}}});
    auto all = waits.shares(member, stage, "1f1b", kTwoStages);
    if (member.rank() == 0) shares = std::move(all);
  });

  ASSERT_EQ(shares.stages.size(), 2u);
  EXPECT_DOUBLE_EQ(shares.stages[0], 15.0 / 85);
  EXPECT_DOUBLE_EQ(shares.stages[1], 30.0 / 100);
  EXPECT_DOUBLE_EQ(shares.all, 45.0 / 185);
  EXPECT_DOUBLE_EQ(shares.by_schedule, 1.0 / 4);
}

// The head waits for its table within forward.
TEST(StageWaits, CountAWaitWithinWorkOnce) {
  StageWaitShares shares;
  spawn(2, [&](Bootstrap& member) {
    StageWaits waits;
    waits.add({.purposes = {{.axis = "pp", .purpose = "head table", .exposed_wait_us = 20}}},
              {.work = {{{.work = trainers::Work::forward}, {0, 50'000}},
                        {{.work = trainers::Work::backward}, {60'000, 110'000}}},
               .waits = {{.at = {10'000, 30'000}}, {.at = {50'000, 60'000}}}});
    auto all = waits.shares(member, member.rank(), "1f1b", kTwoStages);
    if (member.rank() == 0) shares = std::move(all);
  });
  EXPECT_DOUBLE_EQ(shares.all, 20.0 / 100);
}

TEST(StageWaits, AreNoneWithoutAPipeline) {
  StageWaitShares shares{.stages = {1}};
  spawn(1, [&](Bootstrap& member) { shares = StageWaits().shares(member, 0, "1f1b", {}); });
  EXPECT_TRUE(shares.stages.empty());
}

}  // namespace
}  // namespace linerate
