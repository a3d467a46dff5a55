// What layouts hold: as the trainers' own preview has it, also where a schedule is shortened.
#include "plan/memory.h"

#include "machines.h"
#include "trainers/engine/accounting.h"
#include "trainers/model/activations.h"

#include <gtest/gtest.h>

#include <string>

namespace linerate::plan {
namespace {

using trainers::Recompute;
using trainers::Stage;
using trainers::TrainConfig;

struct Held {
  std::uint64_t state = 0, live = 0, activations = 0;
};

// As train_3d --dry-run computes it.
Held held_by_trainer(const TrainConfig& config, int stage, int nranks) {
  const auto position = position_of(config, nranks / static_cast<int>(config.pp) * stage, nranks);
  const auto chunks = chunks_of(config, position);
  const auto account = account_of(config, chunks, position);
  const auto schedule = schedule_of(config, position);
  Held held{account.state.total(), account.live_bytes, 0};
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto slots = held_of(schedule.stages[static_cast<std::size_t>(stage)], i);
    held.activations +=
        activation_bytes(model_of_chunk(config, position, *chunks[i]),
                         model_options_of(config, position, chunks[i]->place(), slots));
  }
  return held;
}

void expect_as_trainer(const TrainConfig& config, int nranks) {
  MemoryModel memory(nranks);
  for (int stage = 0; stage < static_cast<int>(config.pp); ++stage) {
    const auto parts = memory.of_stage(config, stage);
    const auto held = held_by_trainer(config, stage, nranks);

    EXPECT_EQ(parts.parameters + parts.gradients + parts.optimizer, held.state) << stage;
    EXPECT_EQ(parts.gathered, held.live) << stage;
    EXPECT_EQ(parts.activations, held.activations) << stage;
  }
}

TEST(Memory, OfDataParallelRanksIsTheTrainers) {
  for (const auto stage : {Stage::none, Stage::optimizer, Stage::gradients, Stage::parameters}) {
    auto config = training_of("micro", 16);
    config.stage = stage;
    config.micro_batch = 2;
    expect_as_trainer(config, 4);
  }
}

TEST(Memory, OfAllAxesIsTheTrainers) {
  auto config = training_of("micro", 16);
  config.tp = 2, config.cp = 2, config.pp = 2;
  config.sequence_parallel = true;
  config.stage = Stage::parameters;
  config.recompute = Recompute::selective;
  config.micro_batch = 1;
  expect_as_trainer(config, 16);
}

TEST(Memory, OfLongSchedulesIsTheTrainers) {
  for (const std::string schedule : {"gpipe", "1f1b", "zb-h1", "interleaved"}) {
    SCOPED_TRACE(schedule);
    auto config = training_of("micro", 48);
    config.pp = 4;
    config.pp_schedule = schedule;
    config.virtual_stages = schedule == "interleaved" ? 2 : 1;
    config.micro_batch = 1;
    expect_as_trainer(config, 4);
  }
}

TEST(Memory, OfThePipelinesStageThatHoldsMostCounts) {
  auto config = training_of("micro", 8);
  config.pp = 4;
  config.micro_batch = 1;
  MemoryModel memory(4);

  const auto most = memory.most(config).total();

  for (int stage = 0; stage < 4; ++stage)
    EXPECT_LE(memory.of_stage(config, stage).total(), most) << stage;
}

}  // namespace
}  // namespace linerate::plan
