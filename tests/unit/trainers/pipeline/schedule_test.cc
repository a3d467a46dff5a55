// The known schedules: their order, what they refuse, where messages stand.
#include "pipelines.h"
#include "trainers/pipeline/messages.h"

namespace linerate::trainers {
namespace {

TEST(PipelineSchedule, NaiveTakesOneMicroBatchAtATime) {
  const auto schedule = schedule_of("naive", {.stages = 2, .micro_batches = 3});

  EXPECT_EQ(listed(schedule.stages[0]), "F0 B0 F1 B1 F2 B2");
  EXPECT_EQ(listed(schedule.stages[1]), "F0 B0 F1 B1 F2 B2");
}

TEST(PipelineSchedule, GpipeMakesAllForwardsFirst) {
  const auto schedule = schedule_of("gpipe", {.stages = 2, .micro_batches = 3});

  EXPECT_EQ(listed(schedule.stages[0]), "F0 F1 F2 B0 B1 B2");
  EXPECT_EQ(listed(schedule.stages[1]), "F0 F1 F2 B0 B1 B2");
}

TEST(PipelineSchedule, OneForwardOneBackwardAfterAForwardForEachStageBehind) {
  const auto schedule = schedule_of("1f1b", {.stages = 3, .micro_batches = 4});

  EXPECT_EQ(listed(schedule.stages[0]), "F0 F1 F2 B0 F3 B1 B2 B3");
  EXPECT_EQ(listed(schedule.stages[1]), "F0 F1 B0 F2 B1 F3 B2 B3");
  EXPECT_EQ(listed(schedule.stages[2]), "F0 B0 F1 B1 F2 B2 F3 B3");
}

TEST(PipelineSchedule, InterleavedGoesInRoundsOfAsManyMicroBatchesAsStages) {
  const auto schedule = schedule_of("interleaved", {.stages = 2, .chunks = 2, .micro_batches = 4});

  EXPECT_EQ(listed(schedule.stages[0]),
            "F0 F1 F0.1 F1.1 F2 B0.1 F3 B1.1 F2.1 B0 F3.1 B1 B2.1 B3.1 B2 B3");
  EXPECT_EQ(listed(schedule.stages[1]),
            "F0 F1 F0.1 B0.1 F1.1 B1.1 F2 B0 F3 B1 F2.1 B2.1 F3.1 B3.1 B2 B3");
}

// Rounds of less than p would deadlock: 5 micro-batches of 2 stages go in rounds of 2 and 3.
TEST(PipelineSchedule, InterleavedHasLargerRoundsWhereStagesDoNotDivideMicroBatches) {
  const auto schedule = schedule_of("interleaved", {.stages = 2, .chunks = 2, .micro_batches = 5});

  EXPECT_EQ(listed(schedule.stages[1]),
            "F0 F1 F0.1 F1.1 B0.1 F2 B1.1 F3 B0 F4 B1 F2.1 B2.1 F3.1 B3.1 F4.1 B4.1 B2 B3 B4");
}

TEST(PipelineSchedule, ZeroBubblePutsWeightsOffTheMoreStagesAreBefore) {
  const auto schedule = schedule_of("zb-h1", {.stages = 3, .micro_batches = 4});

  EXPECT_EQ(listed(schedule.stages[0]), "F0 F1 F2 B0 W0 F3 B1 W1 B2 W2 B3 W3");
  EXPECT_EQ(listed(schedule.stages[1]), "F0 F1 B0 F2 B1 W0 F3 B2 W1 B3 W2 W3");
  EXPECT_EQ(listed(schedule.stages[2]), "F0 B0 F1 B1 F2 B2 W0 F3 B3 W1 W2 W3");
}

TEST(PipelineSchedule, SendsAtOnceAndReceivesAComputationAhead) {
  const auto schedule = schedule_of("1f1b", {.stages = 3, .micro_batches = 3});

  EXPECT_EQ(listed(schedule.stages[1], true),
            "ra0 ra1 F0 sa0 rg0 F1 sa1 ra2 B0 sg0 rg1 F2 sa2 rg2 B1 sg1 B2 sg2");
}

TEST(PipelineSchedule, OneStageSendsNothing) {
  for (const auto& kind : schedule_kinds()) {
    const auto schedule = schedule_of(kind.name, {.chunks = kind.min_chunks, .micro_batches = 3});

    EXPECT_EQ(listed(schedule.stages[0]), listed(schedule.stages[0], true)) << kind.name;
  }
}

// A cut of 2 stages sends activations and gradients the same way, when chunks alternate.
TEST(PipelineSchedule, MessagesOfOneStreamHaveOneOrderForBothEnds) {
  const auto schedule = schedule_of("interleaved", {.stages = 2, .chunks = 2, .micro_batches = 2});
  const Operation gradient{Action::send_gradient, 1, 1, 1};

  EXPECT_EQ(std::ranges::count(schedule.stages[0], gradient), 1);
  EXPECT_EQ(std::ranges::count(schedule.stages[1], other_end(schedule.pipeline, 0, gradient)), 1);
  EXPECT_EQ(other_end(schedule.pipeline, 0, gradient),
            (Operation{Action::receive_gradient, 1, 0, 0}));
}

TEST(PipelineSchedule, RefusalsSayWhatIsRequired) {
  const auto refusal = [](std::string_view name, const Pipeline& pipeline) {
    const auto schedule = pipeline_schedule(name, pipeline);
    return schedule.ok() ? "" : schedule.sentence();
  };

  EXPECT_EQ(refusal("gpipe", {4, 2, 8}),
            "The schedule gpipe has one chunk a stage, not 2: interleaved has several.");
  EXPECT_EQ(refusal("interleaved", {4, 1, 8}),
            "The schedule interleaved needs 2 or more chunks a stage: 1f1b is for one.");
  EXPECT_EQ(refusal("1f1b", {4, 1, 0}),
            "A pipeline of 4 stages, 1 chunks a stage and 0 micro-batches is none: each is 1 or "
            "more.");
  EXPECT_EQ(refusal("1f1", {4, 1, 8}),
            "Unknown pipeline schedule '1f1': choose one of naive, gpipe, 1f1b, interleaved, "
            "zb-h1. Did you mean '1f1b'?");
}

}  // namespace
}  // namespace linerate::trainers
