// Training in a pipeline of stages: the bits, bytes and checkpoints of any schedule and layout.
#include "trainers/engine/plan.h"
#include "unit/trainers/engine/tiny_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace linerate::trainers {
namespace {

using ::testing::HasSubstr;

struct PipelineLayout {
  std::size_t pp = 2;
  std::string schedule = "1f1b";
  std::size_t virtual_stages = 1;
  int data = 1;
  Stage stage = Stage::none;
  std::size_t tp = 1;
  int shard_size = 0;

  int nranks() const { return static_cast<int>(pp * tp) * data; }
};

std::ostream& operator<<(std::ostream& out, const PipelineLayout& layout) {
  return out << layout.schedule << ", pp " << layout.pp << ", v " << layout.virtual_stages
             << ", tp " << layout.tp << ", dp " << layout.data << ", stage "
             << static_cast<int>(layout.stage) << ", groups of " << layout.shard_size;
}

TrainConfig with(TrainConfig config, const PipelineLayout& layout) {
  config.pp = layout.pp;
  config.pp_schedule = layout.schedule;
  config.virtual_stages = layout.virtual_stages;
  config.stage = layout.stage;
  config.tp = layout.tp;
  config.shard_size = layout.shard_size;
  return config;
}

// Eight layers: four stages of two chunks. Small, because ranks are many.
TrainConfig deep_training(bool llama = false) {
  auto config = tiny_training(llama);
  config.model.layers = 8;
  config.steps = config.schedule.steps = 2;
  config.micro_batch = 1;
  return config;
}

TinyRun trained_on(const TrainConfig& config, const PipelineLayout& layout) {
  const TinyHooks in_fixed_blocks{
      .math = [](int) { return make_cpu_math({.fixed_blocks = true}); }};
  return run_tiny(with(config, layout), layout.nranks(), in_fixed_blocks);
}

constexpr PipelineLayout one_rank() { return {.pp = 1}; }

struct NamedSchedule {
  const char* name;
  std::size_t chunks;
};
constexpr NamedSchedule kSchedules[] = {
    {"naive", 1}, {"gpipe", 1}, {"1f1b", 1}, {"interleaved", 2}, {"zb-h1", 1}};

class PipelineEquality : public ::testing::TestWithParam<bool> {
 protected:
  // Six micro-batches: four data-parallel ranks have another number of them.
  void expect_bits(const TrainConfig& config, const std::vector<PipelineLayout>& layouts) {
    const auto one = trained_on(config, one_rank());
    ASSERT_NE(losses_of(one).back(), losses_of(one).front());
    for (std::size_t i = 0; i < layouts.size(); i += every_layout() ? 1 : 3) {
      SCOPED_TRACE(layouts[i]);
      expect_the_same(trained_on(config, layouts[i]), one);
    }
  }
  TrainConfig canonical() const {
    auto config = deep_training(GetParam());
    config.deterministic = true;
    return config;
  }
};

TEST_P(PipelineEquality, OfEveryScheduleIsToTheBit) {
  std::vector<PipelineLayout> layouts;
  for (const auto& [name, chunks] : kSchedules)
    for (const std::size_t pp : {2, 4}) layouts.push_back({pp, name, chunks});
  layouts.push_back({.pp = 2, .schedule = "interleaved", .virtual_stages = 4});
  auto config = canonical();
  config.model.dropout = 0.1;
  expect_bits(config, layouts);
}

TEST_P(PipelineEquality, OfEveryStageOfZeroIsToTheBit) {
  std::vector<PipelineLayout> layouts;
  for (const auto& [name, chunks] : kSchedules)
    for (const auto stage : kEveryStage) layouts.push_back({2, name, chunks, 2, stage});
  layouts.push_back({.pp = 2, .data = 4, .stage = Stage::parameters});
  layouts.push_back({.pp = 2, .data = 4, .stage = Stage::gradients, .shard_size = 2});
  layouts.push_back({.pp = 4, .schedule = "interleaved", .virtual_stages = 2, .data = 3});
  expect_bits(canonical(), layouts);
}

TEST_P(PipelineEquality, OfTensorParallelStagesIsToTheBit) {
  std::vector<PipelineLayout> layouts;
  for (const auto& [name, chunks] : kSchedules) layouts.push_back({2, name, chunks, 1, {}, 2});
  for (const auto stage : kEveryStage) layouts.push_back({2, "1f1b", 1, 2, stage, 2});
  for (const auto recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
    auto config = canonical();
    config.recompute = recompute;
    if (recompute != Recompute::none) layouts = {layouts.front()};
    expect_bits(config, layouts);
  }
}

TEST_P(PipelineEquality, HoldsWithinRoundingInFastMode) {
  const auto config = deep_training(GetParam());
  const auto one = losses_of(trained_on(config, one_rank()));
  std::vector<PipelineLayout> layouts;
  for (const auto& [name, chunks] : kSchedules)
    for (const auto stage : kEveryStage) layouts.push_back({2, name, chunks, 2, stage});
  layouts.push_back({.pp = 2, .data = 4, .stage = Stage::gradients, .shard_size = 2});
  layouts.push_back({.pp = 2, .data = 2, .stage = Stage::parameters, .tp = 2});
  for (std::size_t i = 0; i < layouts.size(); i += every_layout() ? 1 : 3) {
    const auto& layout = layouts[i];
    SCOPED_TRACE(layout);
    const auto other = trained_on(config, layout);
    expect_equal_on_all_ranks(other);
    expect_within_rounding(losses_of(other), one);
  }
}

// A rank of the data-parallel ones has no micro-batch at all, and so has its whole pipeline.
TEST_P(PipelineEquality, OfAPipelineWithoutWorkIsToTheBit) {
  auto config = canonical();
  config.batch = 3;
  expect_bits(config, {{.pp = 2, .data = 4},
                       {.pp = 2, .data = 4, .stage = Stage::parameters},
                       {2, "interleaved", 2, 4, Stage::gradients}});
}

// The accounts have one gather of each unit a step, and all units at once.
TEST_P(PipelineEquality, OfUnitsThatStayGatheredIsToTheBit) {
  auto config = canonical();
  config.gather.reshard_after_forward = false;
  std::vector<PipelineLayout> layouts;
  for (const auto& [name, chunks] : kSchedules)
    layouts.push_back({2, name, chunks, 2, Stage::parameters});
  expect_bits(config, layouts);
}

TEST_P(PipelineEquality, OfEveryTypeIsToTheBit) {
  for (const auto type : {DataType::bfloat16, DataType::float16, DataType::float64}) {
    auto config = canonical();
    config.type = type;
    expect_bits(config, {{.pp = 4, .data = 2, .stage = Stage::gradients}});
  }
}

TEST_P(PipelineEquality, OfLongerMicroBatchesIsToTheBit) {
  auto config = canonical();
  config.micro_batch = 2;
  config.batch = 7;  // the last one is shorter
  expect_bits(config, {{.pp = 2, .data = 2}, {2, "interleaved", 2, 3, Stage::parameters}});
}

INSTANTIATE_TEST_SUITE_P(Models, PipelineEquality, ::testing::Bool(),
                         [](const auto& model) { return model.param ? "Llama" : "Gpt2"; });

// Gradients of the middle of the model are too large; the scale halves until they are not.
TEST(PipelineOverflow, SkipsTheStepOnAllStagesAndHalvesTheScale) {
  auto config = deep_training();
  config.type = DataType::float16;
  config.deterministic = true;
  config.loss_scale = {.initial = 0x1p26, .hysteresis = 1};
  config.steps = 12;
  const auto one = trained_on(config, one_rank());
  ASSERT_TRUE(one.ranks[0].skipped.front());
  ASSERT_FALSE(one.ranks[0].skipped.back());

  const auto run = trained_on(config, {.pp = 4, .data = 2, .stage = Stage::optimizer});

  expect_the_same(run, one);
  EXPECT_EQ(run.ranks[0].skipped, one.ranks[0].skipped);
  EXPECT_EQ(run.ranks[0].loss_scale, one.ranks[0].loss_scale);
}

TEST(PipelineStages, HoldTheUnitsOfTheirChunks) {
  auto config = with(deep_training(), {.pp = 2, .schedule = "interleaved", .virtual_stages = 2});
  const auto names = [&](int rank) {
    std::string text;
    for (const auto& chunk : chunks_of(config, position_of(config, rank, 2)))
      for (const auto& parameter : chunk->table.parameters)
        if (parameter.name.ends_with("norm1.weight") || !parameter.name.starts_with("block"))
          text += parameter.name.substr(0, parameter.name.find('.')) + " ";
    return text;
  };

  EXPECT_EQ(names(0), "embedding embedding block0 block1 block4 block5 ");
  EXPECT_EQ(names(1), "block2 block3 block6 block7 norm norm ");
}

TEST(PipelineStages, HoldAsManyActivationsAsTheScheduleSays) {
  const auto slots = [](const PipelineLayout& layout, int rank) {
    const auto config = with(deep_training(), layout);
    const auto position = position_of(config, rank, layout.nranks());
    const auto list = schedule_of(config, position).stages[static_cast<std::size_t>(rank)];
    return held_of(list, 0).slots;
  };

  EXPECT_EQ(slots({4, "naive"}, 0), 1u);
  EXPECT_EQ(slots({4, "gpipe"}, 3), 6u);
  EXPECT_EQ(slots({4, "1f1b"}, 0), 4u);
  EXPECT_EQ(slots({4, "1f1b"}, 3), 1u);
  EXPECT_EQ(slots({4, "zb-h1"}, 3), 4u);  // until weights have their gradients
}

// And tokens and targets, of 4 bytes.
TEST(PipelineStages, HoldTheActivationsOfTheClosedForm) {
  for (const bool llama : {false, true})
    for (const auto& [name, chunks] : kSchedules) {
      const PipelineLayout layout{4, name, chunks};
      const auto config = with(deep_training(llama), layout);
      const auto run = trained_on(config, layout);
      for (int rank = 0; rank < layout.nranks(); ++rank) {
        SCOPED_TRACE(std::string(name) + ", rank " + std::to_string(rank));
        const auto stage = static_cast<std::size_t>(rank);
        const auto position = position_of(config, rank, layout.nranks());
        const auto plans = chunks_of(config, position);
        const auto list = schedule_of(config, position).stages[stage];
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < plans.size(); ++i) {
          const auto held = held_of(list, i);
          const auto inputs = (plans[i]->embeds() ? 1u : 0u) + (plans[i]->heads() ? 1u : 0u);
          bytes += activation_bytes(model_of_chunk(config, position, *plans[i]),
                                    model_options_of(config, position, plans[i]->place(), held)) +
                   held.slots * inputs * config.model.length * 4;
        }
        EXPECT_EQ(run.ranks[stage].peaks[static_cast<std::size_t>(Category::activation)], bytes);
      }
    }
}

TEST(PipelineRefusal, NamesTheChoices) {
  const auto refusal = [](const PipelineLayout& layout, int nranks) {
    return mesh_refusal(with(deep_training(), layout), nranks).value_or("none");
  };

  EXPECT_EQ(refusal({.pp = 2}, 6), "none");
  EXPECT_THAT(refusal({.pp = 3}, 3), HasSubstr("--pp 3 does not divide the 8 layers"));
  EXPECT_THAT(refusal({.pp = 3}, 3), HasSubstr("choices: 1, 2, 4, 8."));
  EXPECT_THAT(refusal({.pp = 4}, 6), HasSubstr("--pp 4 does not divide 6 ranks; choices"));
  EXPECT_THAT(refusal({.pp = 4, .tp = 2}, 4), HasSubstr("2 ranks of each of --tp 2"));
  EXPECT_THAT(refusal({4, "interleaved", 1}, 4), HasSubstr("2 or more chunks"));
  EXPECT_THAT(refusal({4, "gpipe", 2}, 4), HasSubstr("interleaved has several"));
  EXPECT_THAT(refusal({2, "interleaved", 3}, 2), HasSubstr("--virtual-stages 3"));
  auto again = with(deep_training(), {2, "zb-h1"});
  EXPECT_EQ(mesh_refusal(again, 2), std::nullopt);
  again.recompute = Recompute::selective;
  EXPECT_THAT(mesh_refusal(again, 2).value_or(""), HasSubstr("--recompute does not"));
  EXPECT_THAT(refusal({2, "2f2b"}, 2), HasSubstr("1f1b"));
  EXPECT_THAT(refusal({1, "1f1b", 2}, 2), HasSubstr("--pp"));
}

}  // namespace
}  // namespace linerate::trainers
