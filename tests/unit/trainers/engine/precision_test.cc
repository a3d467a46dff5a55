// Every precision in every stage: the same bits on any layout, one rank's overflow skips the step
// of all, and clipping scales the gradient of the whole model.
#include "support/sanitized.h"
#include "unit/trainers/engine/poisoned_math.h"
#include "unit/trainers/engine/tiny_training.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>

namespace linerate::trainers {
namespace {

// All numbers of ranks, or the odd one where each takes its time.
std::vector<int> of_ranks(std::vector<int> counts) { return kSanitized ? std::vector{3} : counts; }

class Precision : public ::testing::TestWithParam<DataType> {
 protected:
  Precision() {
    config_.type = GetParam();
    config_.deterministic = true;
  }
  // Of each stage, said where an expectation fails.
  template <typename Body>
  void in_each_stage(int nranks, Body body) {
    for (const auto stage : kEveryStage) {
      SCOPED_TRACE(::testing::Message() << nranks << " ranks, stage " << static_cast<int>(stage));
      config_.stage = stage;
      body();
    }
  }
  TrainConfig config_ = tiny_training();
};

// Float32 without dropout is equality_test.cc's. Math's dropout is tested in every type.
TEST_P(Precision, HasTheSameBitsOnEveryLayout) {
  const auto without = run_tiny(config_, 1);
  ASSERT_LT(losses_of(without).back(), losses_of(without).front());
  auto one = without;
  if (GetParam() == DataType::float32) {
    config_.model.dropout = 0.2;
    one = run_tiny(config_, 1);
    EXPECT_NE(one.ranks[0].losses, without.ranks[0].losses);
  }
  for (const int nranks : of_ranks({2, 3}))
    in_each_stage(nranks, [&] { expect_the_same(run_tiny(config_, nranks), one); });
  config_.recompute = Recompute::full;
  expect_the_same(run_tiny(config_, 4), one);
}

// Not by that in the micro-batch, nor by the rank.
TEST(Dropout, DropsByThePositionInTheGlobalBatch) {
  auto config = tiny_training();
  config.model.dropout = 0.2;
  const auto one = losses_of(run_tiny(config, 1));
  for (const int nranks : {1, 2, 3}) {
    config.micro_batch = 1;
    config.stage = nranks == 3 ? Stage::parameters : Stage::none;
    const auto other = losses_of(run_tiny(config, nranks));
    for (std::size_t i = 0; i < one.size(); ++i)
      EXPECT_NEAR(other[i], one[i], 1e-5) << nranks << " ranks";
  }
}

// Rank 2 of 3 has two of the six micro-batches, together or, in canonical mode, one after the
// other. The infinite element is in its second step.
TEST_P(Precision, SkipsTheStepOnAllRanksWhereOneElementOfOneRankIsInfinite) {
  config_.loss_scale.hysteresis = 1;
  for (const bool deterministic : {false, true}) {
    config_.deterministic = deterministic;
    const TinyHooks poison{.math = [&](int rank) -> std::unique_ptr<Math> {
      return std::make_unique<PoisonedMath>(make_cpu_math(), rank < 2 ? -1 : 3);
    }};
    TinyRun before;
    in_each_stage(3, [&] {
      config_.steps = 1;
      // Canonical mode has the same bits in every stage.
      if (!deterministic || before.ranks.empty()) before = run_tiny(config_, 3, poison);
      config_.steps = 2;
      const auto skipped = run_tiny(config_, 3, poison);

      expect_equal_on_all_ranks(skipped);
      EXPECT_EQ(skipped.ranks[0].skipped, (std::vector<bool>{false, true}));
      EXPECT_EQ(skipped.state, before.state);
      const bool scales = GetParam() == DataType::float16;
      EXPECT_EQ(skipped.ranks[0].loss_scale, before.ranks[0].loss_scale / (scales ? 2 : 1));
    });
  }
}

// One sequence, again and again.
class OneSequence final : public Source {
 public:
  explicit OneSequence(const ModelConfig& model) : Source("one", model.vocabulary, model.length) {}
  std::optional<std::uint64_t> sequences() const override { return 1; }
  void tokens(std::uint64_t, std::span<std::int32_t> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::int32_t>(i * 5 % 7);
  }
};

TEST_P(Precision, SkipsTheStepOnAllTensorParallelRanksWhereOneIsInfinite) {
  config_.tp = 2;
  config_.loss_scale.hysteresis = 1;
  config_.steps = 1;
  const auto run =
      run_tiny(config_, 2, {.math = [&](int rank) -> std::unique_ptr<Math> {
                 return std::make_unique<PoisonedMath>(make_cpu_math(), rank == 1 ? 0 : -1);
               }});
  expect_equal_on_all_ranks(run);
  EXPECT_TRUE(run.ranks.front().skipped.front());
}

// AdamW's bias correction counts the steps that it made: one that is skipped leaves no trace.
TEST_P(Precision, StepsBehindASkippedOneAsIfItWereTheNext) {
  config_.schedule = {.decay = Decay::constant, .peak = 0.01, .steps = 9};
  const OneSequence source(config_.model);
  const auto poisoned = [](int rank) -> std::unique_ptr<Math> {
    return std::make_unique<PoisonedMath>(make_cpu_math(), rank == 0 ? 0 : -1);
  };
  config_.steps = 2;
  const auto two = run_tiny(config_, 2, {.source = &source});
  config_.steps = 3;
  const auto three = run_tiny(config_, 2, {.math = poisoned, .source = &source});

  EXPECT_EQ(three.ranks[0].skipped, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(three.state, two.state);
}

// Of the gradient that the first step went by: the first moment is 1 - beta1 of it.
double stepped_norm(const TinyRun& run, const TrainConfig& config) {
  double sum = 0;
  for (const auto& [what, bytes] : run.state) {
    if (what.first != StateKind::m) continue;
    const auto add = [&]<typename T>(const T* values) {
      for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i)
        sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    };
    if (config.type == DataType::float64)
      add(reinterpret_cast<const double*>(bytes.data()));
    else
      add(reinterpret_cast<const float*>(bytes.data()));
  }
  return std::sqrt(sum) / (1 - config.beta1);
}

TEST_P(Precision, ClipsTheGradientOfTheWholeModel) {
  config_.steps = 1;
  config_.clip = 0;
  const auto norm = std::bit_cast<double>(run_tiny(config_, 1).ranks[0].norms[0]);
  for (const bool deterministic : {false, true}) {
    config_.deterministic = deterministic;
    const double near = bytes_of(GetParam()) < sizeof(float) && !deterministic ? 1e-2 : 1e-5;
    const auto expect_clipped = [&](double limit) {
      config_.clip = limit;
      const auto run = run_tiny(config_, 3);
      const auto expected = limit > 0 ? std::min(limit, norm) : norm;
      EXPECT_NEAR(stepped_norm(run, config_), expected, near * norm) << limit;
      EXPECT_NEAR(std::bit_cast<double>(run.ranks[0].norms[0]), norm, near * norm);
    };
    in_each_stage(3, [&] { expect_clipped(norm / 7); });
    config_.stage = kEveryStage[0];
    for (const auto not_reached : {0.0, norm * 2}) expect_clipped(not_reached);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Precision,
                         ::testing::Values(DataType::float32, DataType::float64, DataType::bfloat16,
                                           DataType::float16),
                         [](const auto& type) { return std::string(name_of(type.param)); });

}  // namespace
}  // namespace linerate::trainers
