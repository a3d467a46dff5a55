// Steps on machines of chosen speeds, against closed forms.
#include "plan/predict.h"

#include "machines.h"
#include "plan/costs.h"
#include "trainers/pipeline/bubble.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace linerate::plan {
namespace {

using trainers::Stage;
using trainers::TrainConfig;

double slow_all_reduce(CallKind call, CallGroup, double) {
  return call == CallKind::all_reduce ? 1e6 : 0;
}

TEST(Predicted, StepOfOneRankIsComputeAndTheOptimizer) {
  const auto machine = machine_of(1, [](const Kernel& kernel) {
    return kernel.kind == KernelKind::adamw ? 5 : by_flops(kernel);
  });

  const auto step = Predictor(machine).predict(training_of("nano"));

  EXPECT_GT(step.parts.compute_us, 0);
  EXPECT_DOUBLE_EQ(step.parts.optimizer_us, 5);
  EXPECT_DOUBLE_EQ(step.step_us, step.parts.compute_us + 5);
  EXPECT_EQ(binding_of(step.parts), "compute");
}

TEST(Predicted, BubbleIsTheClosedFormOfTheScheduleHoweverLongTheStep) {
  const auto machine = machine_of(4, attention_alone);
  for (const std::uint64_t batch : {4, 8, 100, 1000})
    for (const std::string_view name : {"gpipe", "1f1b", "interleaved"}) {
      auto config = training_of("micro", batch);
      config.pp = 4;
      config.pp_schedule = name;
      config.virtual_stages = name == "interleaved" ? 2 : 1;
      config.micro_batch = 1;
      const auto rounds = static_cast<double>(batch * config.virtual_stages);

      const auto step = Predictor(machine).predict(config);

      EXPECT_NEAR(step.parts.bubble_us / step.step_us, 3 / (rounds + 3), 1e-9) << name << batch;
    }
}

TEST(Predicted, CallsOfTensorParallelismAreThoseOfTheTrainers) {
  const auto machine = machine_of(
      2, [](const Kernel&) { return 0; },
      [](CallKind call, CallGroup group, double bytes) {
        const bool counts = call == CallKind::all_reduce && group.size == 2 && bytes > 1e5;
        return counts ? 1.0 : 0.0;
      });
  auto config = training_of("nano");
  config.tp = 2;
  config.micro_batch = 4;

  const auto step = Predictor(machine).predict(config);

  // Of 2 micro-batches and 4 layers: four each, one of the embeddings, one of the head.
  EXPECT_DOUBLE_EQ(step.parts.tp_us, 2 * (4 * 4 + 2));
}

TEST(Predicted, GradientsHideBesideTheLastBackward) {
  const auto call_us = [](double us) {
    return [us](CallKind, CallGroup, double bytes) { return bytes > 1e5 ? us : 0; };
  };
  const auto config = training_of("micro");

  const auto fast = Predictor(machine_of(2, by_flops, call_us(1))).predict(config);
  const auto slow = Predictor(machine_of(2, by_flops, call_us(1e9))).predict(config);

  EXPECT_LE(fast.parts.dp_us, 1 + 1e-9);  // the last bucket's
  EXPECT_GT(fast.hidden_dp_us, 0);
  EXPECT_GT(slow.parts.dp_us, 1e9);
  EXPECT_EQ(binding_of(slow.parts), "dp comm");
}

TEST(Predicted, RanksThatShareProcessorsHideNothing) {
  auto own = machine_of(4, by_flops, [](CallKind, CallGroup, double bytes) { return bytes / 1e4; });
  auto shared = own;
  shared.processors = 2;
  const auto config = training_of("micro");

  const auto alone = Predictor(own).predict(config), together = Predictor(shared).predict(config);

  EXPECT_DOUBLE_EQ(together.parts.compute_us, 2 * alone.parts.compute_us);
  EXPECT_DOUBLE_EQ(together.hidden_dp_us, 0);
  EXPECT_GT(together.parts.dp_us, alone.parts.dp_us);
}

// The other way round a network's calls take as long whoever computes, and hide beside it.
TEST(Predicted, NetworksNeedNoProcessor) {
  auto machine = machine_of(4, by_flops);
  const auto config = training_of("micro");
  const auto step_with = [&](double us, double processors) {
    machine.processors = processors;
    machine.links = std::make_shared<ChosenNetwork>(
        [us](CallKind, CallGroup, double bytes) { return bytes > 1e5 ? us : 0; });
    return Predictor(machine).predict(config);
  };

  const auto fast = step_with(1, 2), slow = step_with(1e9, 2), alone = step_with(1e9, 1e9);

  EXPECT_LE(fast.parts.dp_us, 1 + 1e-9);
  EXPECT_GT(fast.hidden_dp_us, 0);
  EXPECT_GT(slow.parts.dp_us, 1e9);
  EXPECT_DOUBLE_EQ(slow.parts.compute_us, 2 * alone.parts.compute_us);
  EXPECT_NEAR(slow.parts.dp_us / alone.parts.dp_us, 1, 0.01);
}

TEST(LayoutGroups, FollowTheOrderOfTheMesh) {
  auto config = training_of("nano");
  config.cp = config.pp = 2;

  const LayoutGroups usual(config, 8);
  config.order.axes = "cp-pp-dp";
  const LayoutGroups other(config, 8);

  EXPECT_EQ(usual.data, (CallGroup{4, 1}));
  EXPECT_EQ(usual.stages, (CallGroup{2, 4}));
  EXPECT_EQ(other.cp, (CallGroup{2, 1}));
  EXPECT_EQ(other.stages, (CallGroup{2, 2}));
  EXPECT_EQ(other.data, (CallGroup{4, 1, 2, 4}));  // 0, 1, 4, 5
}

TEST(Predicted, ActivationsGoFromNodeToNodeWhereStagesDo) {
  std::set<CallGroup> messages;
  auto machine = machine_of(8, attention_alone, [&](CallKind call, CallGroup group, double) {
    if (call == CallKind::message) messages.insert(group);
    return 1.0;
  });
  machine.node_ranks = 4;
  auto config = training_of("nano");
  config.pp = 2;
  config.micro_batch = 1;

  Predictor(machine).predict(config);
  EXPECT_EQ(messages, (std::set<CallGroup>{{2, 4}}));

  config.pp = 4;
  Predictor(machine).predict(config);
  EXPECT_EQ(messages, (std::set<CallGroup>{{2, 4}, {2, 2}, {4, 2}}));
}

// Two stages on one processor: while one waits, the other has all of it.
TEST(Predicted, StagesThatShareAProcessorFillEachOthersBubbles) {
  auto machine = machine_of(2, attention_alone);
  machine.processors = 1;
  auto config = training_of("micro");
  config.pp = 2;
  config.micro_batch = 1;
  const auto one = Predictor(machine_of(1, attention_alone)).predict(training_of("micro"));

  EXPECT_NEAR(Predictor(machine).predict(config).step_us, one.step_us, 1e-6 * one.step_us);
}

TEST(Predicted, ShardedParametersAreGatheredForEachMicroBatch) {
  const auto gathers = [](CallKind call, CallGroup, double) {
    return call == CallKind::all_gather ? 1e6 : 0;
  };
  const auto machine = machine_of(
      2, [](const Kernel&) { return 0; }, gathers);
  auto config = training_of("nano");
  config.stage = Stage::parameters;
  config.micro_batch = 1;

  const auto step = Predictor(machine).predict(config);

  // 6 units before forward, 4 again before backward, of 4 micro-batches.
  EXPECT_DOUBLE_EQ(step.parts.dp_us, 4 * (6 + 4) * 1e6);
}

TEST(Predicted, LeastIsNeverMoreThanTheStep) {
  auto machine =
      machine_of(4, by_flops, [](CallKind, CallGroup, double bytes) { return 5 + bytes / 1e4; });
  for (const double processors : {2.0, 1e9})
    for (const std::string_view name : {"gpipe", "1f1b", "zb-h1", "interleaved"}) {
      machine.processors = processors;
      auto config = training_of("micro", 16);
      config.pp = 2;
      config.pp_schedule = name;
      config.virtual_stages = name == "interleaved" ? 2 : 1;
      config.micro_batch = 1;
      Predictor predictor(machine);

      EXPECT_LE(predictor.least_us(config), predictor.predict(config).step_us * (1 + 1e-9)) << name;
    }
}

TEST(Predicted, StagesOfMoreRanksReduceAmongThem) {
  auto config = training_of("micro");
  config.pp = 2;
  config.micro_batch = 1;

  const auto step = Predictor(machine_of(4, attention_alone, slow_all_reduce)).predict(config);

  EXPECT_GE(step.parts.dp_us, 1e6);
}

}  // namespace
}  // namespace linerate::plan
