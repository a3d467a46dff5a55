// The same training on any layout: losses and parameters have equal bits in canonical mode.
#include "base/environment.h"
#include "devices/cpu/math/cpu_math.h"
#include "job/job.h"
#include "trainers/engine/trainer.h"
#include "unit/trainers/engine/tiny_training.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <mutex>
#include <ostream>

namespace linerate::trainers {
namespace {

struct Layout {
  int nranks = 1;
  Stage stage = Stage::none;
  std::uint64_t micro_batch = 1;
  Overlap overlap = Overlap::on;
  int shard_size = 0;
  Sync sync = Sync::all_reduce;
};

std::ostream& operator<<(std::ostream& out, const Layout& layout) {
  return out << layout.nranks << " ranks, stage " << static_cast<int>(layout.stage)
             << ", micro-batch " << layout.micro_batch << ", overlap "
             << static_cast<int>(layout.overlap) << ", groups of " << layout.shard_size << ", sync "
             << static_cast<int>(layout.sync);
}

// What a run ends with: losses of its steps, and all parameters, each in its order.
struct Outcome {
  std::vector<double> losses, norms;
  std::vector<std::vector<float>> parameters;
};

Outcome run(const TrainConfig& config, int nranks) {
  JobConfig job{.nthreads = nranks, .backend = "host"};
  const Environment environment;
  const auto source = make_source(config.data);
  Outcome outcome;
  std::mutex mutex;
  const auto code = run_job({.config = job, .environment = environment}, [&](RankContext& rank) {
    const auto math = make_cpu_math();
    Trainer trainer(rank, config, **source, *math);
    for (std::int64_t i = 0; i < config.steps; ++i) {
      const auto step = trainer.step();
      if (!rank.is_first()) continue;
      outcome.losses.push_back(step.loss);
      outcome.norms.push_back(step.norm);
    }
    const std::lock_guard lock(mutex);
    outcome.parameters.resize(trainer.table().parameters.size());
    for (const auto& [piece, array] : trainer.parameters()) {
      auto& values = outcome.parameters[piece.parameter];
      values.resize(trainer.table().parameters[piece.parameter].count());
      std::memcpy(&values[piece.index], array.data, piece.count * sizeof(float));
    }
    return ExitCode::ok;
  });
  EXPECT_EQ(code, ExitCode::ok);
  return outcome;
}

void expect_same_bits(const Outcome& other, const Outcome& one) {
  EXPECT_EQ(other.losses, one.losses);
  EXPECT_EQ(other.norms, one.norms);
  EXPECT_EQ(other.parameters, one.parameters);
}

TrainConfig with(TrainConfig config, const Layout& layout) {
  config.stage = layout.stage;
  config.micro_batch = layout.micro_batch;
  config.overlap = layout.overlap;
  config.shard_size = layout.shard_size;
  config.sync = layout.sync;
  return config;
}

class Equality : public ::testing::TestWithParam<bool> {};

TEST_P(Equality, OfEveryLayoutIsToTheBit) {
  auto config = tiny_training(GetParam());
  config.deterministic = true;
  const auto one = run(with(config, {}), 1);
  ASSERT_LT(one.losses.back(), one.losses.front());
  for (const int nranks : {1, 2, 3, 4, 8})
    for (const auto stage : {Stage::none, Stage::optimizer, Stage::gradients, Stage::parameters}) {
      const Layout layout{.nranks = nranks, .stage = stage};
      SCOPED_TRACE(::testing::PrintToString(layout));
      expect_same_bits(run(with(config, layout), nranks), one);
    }
}

TEST_P(Equality, OfHybridShardingIsToTheBit) {
  auto config = tiny_training(GetParam());
  config.deterministic = true;
  const auto one = run(with(config, {}), 1);
  for (const auto& [nranks, shard_size] :
       {std::pair(2, 1), std::pair(3, 1), std::pair(4, 2), std::pair(6, 2), std::pair(6, 3),
        std::pair(8, 2), std::pair(8, 4)})
    for (const auto stage : {Stage::optimizer, Stage::gradients, Stage::parameters}) {
      const Layout layout{.nranks = nranks, .stage = stage, .shard_size = shard_size};
      SCOPED_TRACE(::testing::PrintToString(layout));
      expect_same_bits(run(with(config, layout), nranks), one);
    }
}

TEST_P(Equality, OfEverySyncIsToTheBit) {
  auto config = tiny_training(GetParam());
  config.deterministic = true;
  const auto one = run(with(config, {}), 1);
  for (const int nranks : {1, 2, 3, 4, 8})
    for (const auto sync : {Sync::reduce_scatter, Sync::tree, Sync::parameter_server}) {
      const Layout layout{.nranks = nranks, .sync = sync};
      SCOPED_TRACE(::testing::PrintToString(layout));
      expect_same_bits(run(with(config, layout), nranks), one);
    }
}

TEST_P(Equality, HoldsWithinRoundingInFastMode) {
  const auto config = tiny_training(GetParam());
  const auto one = run(with(config, {.micro_batch = 6}), 1);
  for (const auto& layout :
       {Layout{2, Stage::none, 0}, Layout{2, Stage::none, 1, Overlap::fake},
        Layout{3, Stage::optimizer, 1}, Layout{4, Stage::gradients, 1, Overlap::off},
        Layout{2, Stage::parameters, 2}, Layout{3, Stage::parameters, 1, Overlap::fake},
        Layout{4, Stage::optimizer, 1, Overlap::on, 2},
        Layout{4, Stage::gradients, 1, Overlap::off, 2},
        Layout{6, Stage::parameters, 1, Overlap::on, 2},
        Layout{2, Stage::parameters, 0, Overlap::fake, 1},
        Layout{.nranks = 3, .micro_batch = 1, .sync = Sync::reduce_scatter},
        Layout{.nranks = 3, .micro_batch = 0, .overlap = Overlap::off, .sync = Sync::tree},
        Layout{.nranks = 4, .micro_batch = 0, .sync = Sync::parameter_server}}) {
    SCOPED_TRACE(::testing::PrintToString(layout));
    const auto other = run(with(config, layout), layout.nranks);
    ASSERT_EQ(other.losses.size(), one.losses.size());
    for (std::size_t i = 0; i < one.losses.size(); ++i)
      EXPECT_NEAR(other.losses[i], one.losses[i], 1e-5);
  }
}

// The accounts that each step is held to have the hook's bytes.
TEST(Hooks, LearnAsAllOfTheGradientDoes) {
  auto config = with(tiny_training(), {.micro_batch = 1});
  config.steps = 24;
  config.schedule.steps = config.steps;
  const auto whole = run(config, 3);
  const auto learnt = whole.losses.front() - whole.losses.back();
  ASSERT_GT(learnt, 0.2);
  for (const auto& [hook, share] :
       {std::pair(Hook::fp16, 0.99), std::pair(Hook::bf16, 0.97), std::pair(Hook::topk, 0.7)}) {
    SCOPED_TRACE(static_cast<int>(hook));
    config.hook = hook;
    config.topk_ratio = 0.1;
    const auto less = run(config, 3);
    ASSERT_EQ(less.losses.size(), whole.losses.size());
    EXPECT_GT(less.losses.front() - less.losses.back(), share * learnt);
    EXPECT_NE(less.losses, whole.losses);
  }
}

TEST(Float16, SkipsTheStepOnAllRanksWhereOneOverflowsAndHalvesTheScale) {
  auto config = with(tiny_training(), {.nranks = 2, .stage = Stage::parameters, .micro_batch = 3});
  config.type = DataType::float16;
  config.loss_scale = {.initial = 0x1p30, .hysteresis = 1};
  config.steps = 24;

  const auto outcome = run(config, 2);

  EXPECT_TRUE(std::isnan(outcome.norms.front()) || std::isinf(outcome.norms.front()));
  EXPECT_TRUE(std::isfinite(outcome.norms.back()));
  EXPECT_LT(outcome.losses.back(), outcome.losses.front());
}

TEST(Float16, LearnsAsFloat32Does) {
  auto config = with(tiny_training(), {.nranks = 2, .micro_batch = 3});
  const auto wide = run(config, 2);
  config.type = DataType::float16;

  const auto narrow = run(config, 2);

  for (std::size_t i = 0; i < wide.losses.size(); ++i)
    EXPECT_NEAR(narrow.losses[i], wide.losses[i], 5e-3);
}

INSTANTIATE_TEST_SUITE_P(Models, Equality, ::testing::Bool(),
                         [](const auto& model) { return model.param ? "Llama" : "Gpt2"; });

}  // namespace
}  // namespace linerate::trainers
