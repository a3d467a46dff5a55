// What a Model promises beside exact gradients: the same bits whatever is recomputed, one call of
// ready() for each parameter, independence of how a batch is cut, other types.
#include "trainers/model/model.h"

#include "trainers/model_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace linerate::trainers {
namespace {

constexpr DataType kDouble = DataType::float64;

// Both kinds, without dropout and with it.
std::vector<ModelConfig> ragged_models() {
  std::vector<ModelConfig> all{ragged_gpt2(), ragged_llama(), ragged_gpt2(), ragged_llama()};
  all[2].dropout = all[3].dropout = 0.1;
  return all;
}

// Of the difference, by the length of `expected`.
double distance(const std::vector<double>& got, const std::vector<double>& expected) {
  double difference = 0, length = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += (got[i] - expected[i]) * (got[i] - expected[i]);
    length += expected[i] * expected[i];
  }
  return got.size() == expected.size() ? std::sqrt(difference / length) : INFINITY;
}

TEST(Model, GivesTheSameBitsWhateverIsRecomputed) {
  for (const auto& config : ragged_models())
    for (const auto type : {DataType::float32, DataType::bfloat16}) {
      const auto input = made_up_input(config, 2);
      const auto kept = run_model(config, {.sequences = 2, .type = type}, input);
      for (const auto recompute : {Recompute::selective, Recompute::full}) {
        const auto again =
            run_model(config, {.sequences = 2, .type = type, .recompute = recompute}, input);

        EXPECT_EQ(again.losses, kept.losses) << config.name;
        EXPECT_EQ(again.gradients, kept.gradients) << config.name;
      }
    }
}

TEST(Model, EvaluatesToTheLossesOfTraining) {
  for (const auto& config : ragged_models()) {
    const auto input = made_up_input(config, 2);
    const auto trained = run_model(config, {.sequences = 2}, input);
    const auto evaluated = run_model(config, {.sequences = 2, .trains = false}, input);

    EXPECT_EQ(evaluated.losses, trained.losses) << config.name;
  }
}

TEST(Model, TellsEachParameterOnceFromTheLastToTheFirst) {
  for (const auto& config : ragged_models())
    for (const auto recompute : {Recompute::none, Recompute::full}) {
      const auto output = run_model(config, {.recompute = recompute}, made_up_input(config, 2));

      std::vector<std::size_t> expected(parameters_of(config).parameters.size());
      std::iota(expected.rbegin(), expected.rend(), std::size_t{0});
      EXPECT_EQ(output.ready, expected) << config.name;
    }
}

// Gradients as they are at each call of ready(): none changes after its own.
class ReadyGradients {
 public:
  explicit ReadyGradients(const ModelConfig& config)
      : table_(parameters_of(config)),
        model_(config, table_, {.type = kDouble}, *math_, tensor_, arena_) {
    const auto input = made_up_input(config, 1);
    gradients_.resize(table_.count());
    model_.begin({.tokens = input.tokens, .targets = input.targets, .sequences = 1});
    for (std::size_t unit = 0; unit < table_.units(); ++unit)
      model_.forward(unit, part(input.parameters, unit), part(input.parameters, 0), *stream_);
    for (std::size_t unit = table_.units(); unit-- > 0;)
      model_.backward(
          unit, part(input.parameters, unit), part(input.parameters, 0),
          {.own = part(gradients_, unit), .embeddings = part(gradients_, 0)}, 1,
          [&](std::size_t parameter) { seen_.emplace_back(parameter, values(parameter)); },
          *stream_);
  }

  // Parameters whose gradient is another now, by name.
  std::vector<std::string> changed() const {
    std::vector<std::string> names;
    for (const auto& [parameter, gradient] : seen_)
      if (gradient != values(parameter)) names.push_back(table_.parameters[parameter].name);
    return names;
  }

 private:
  Array part(const std::vector<double>& all, std::size_t unit) const {
    auto* const data = const_cast<double*>(all.data()) + table_.unit_begin(unit);
    return {reinterpret_cast<std::byte*>(data), kDouble};
  }
  std::vector<double> values(std::size_t parameter) const {
    const auto& row = table_.parameters[parameter];
    const auto* const begin = gradients_.data() + table_.unit_begin(row.unit) + row.offset;
    return {begin, begin + row.count()};
  }

  const ParameterTable table_;
  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_cpu_device(0, clock_);
  std::unique_ptr<Stream> stream_ = device_->stream();
  std::unique_ptr<Math> math_ = make_cpu_math();
  Arena arena_{*device_};
  TensorParallel tensor_;
  Model model_;
  std::vector<double> gradients_;
  std::vector<std::pair<std::size_t, std::vector<double>>> seen_;
};

TEST(Model, TellsAParameterWhenItsGradientIsComplete) {
  for (const auto& config : ragged_models()) {
    EXPECT_EQ(ReadyGradients(config).changed(), std::vector<std::string>{}) << config.name;
  }
}

TEST(Model, AccumulatesMicroBatchesToTheGradientOfOne) {
  for (const auto& config : ragged_models()) {
    const auto input = made_up_input(config, 5);
    const auto whole = run_model(config, {.sequences = 5, .type = kDouble}, input);
    for (const std::size_t sequences : {1u, 2u, 3u}) {
      const auto cut = run_model(config, {.sequences = sequences, .type = kDouble}, input);

      EXPECT_LT(distance(cut.losses, whole.losses), 1e-14) << config.name;
      EXPECT_LT(distance(cut.gradients, whole.gradients), 1e-13) << config.name;
    }
  }
}

TEST(Model, KeepsSequencesApart) {
  const auto config = ragged_llama();
  const auto input = made_up_input(config, 2);
  auto other = input;
  other.tokens[config.length + 2] = (other.tokens[config.length + 2] + 1) % 257;
  const auto before = run_model(config, {.sequences = 2, .type = kDouble}, input).logits;
  const auto after = run_model(config, {.sequences = 2, .type = kDouble}, other).logits;

  // Up to the token that changed, nothing does; from it on, everything.
  const auto rows = 2 * config.length;
  for (std::size_t row = 0; row < rows; ++row) {
    const bool same = std::equal(before.begin() + static_cast<long>(row * 257),
                                 before.begin() + static_cast<long>((row + 1) * 257),
                                 after.begin() + static_cast<long>(row * 257));
    EXPECT_EQ(same, row < config.length + 2) << row;
  }
}

TEST(Model, ScalesGradientsAndNotLosses) {
  const auto config = ragged_gpt2();
  auto input = made_up_input(config, 1);
  const auto plain = run_model(config, {}, input);
  input.loss_scale = 1024;
  auto scaled = run_model(config, {}, input);

  for (auto& gradient : scaled.gradients) gradient /= 1024;
  EXPECT_EQ(scaled.losses, plain.losses);
  EXPECT_EQ(scaled.gradients, plain.gradients);
}

TEST(Model, CountsNoLossWhereThereIsNoTarget) {
  const auto config = ragged_gpt2();
  const auto input = made_up_input(config, 2);
  const auto losses = run_model(config, {.sequences = 2}, input).losses;

  ASSERT_EQ(losses.size(), input.targets.size());
  for (std::size_t i = 0; i < losses.size(); ++i)
    EXPECT_EQ(losses[i] == 0, input.targets[i] < 0) << i;
}

TEST(Model, DropsOtherElementsWithAnotherKeyAndAtOtherPositions) {
  auto config = ragged_gpt2();
  config.dropout = 0.1;
  auto input = made_up_input(config, 1);
  const auto losses = [&] { return run_model(config, {.type = kDouble}, input).losses; };
  const auto first = losses();

  EXPECT_EQ(losses(), first);
  input.dropout_key += 1;
  EXPECT_NE(losses(), first);
  input.dropout_key -= 1;
  input.first_position = config.length;
  EXPECT_NE(losses(), first);
}

void expect_near_double(DataType type, double loss_error, double gradient_error) {
  for (const auto& config : ragged_models()) {
    const auto input = made_up_input(config, 2);
    const auto exact = run_model(config, {.sequences = 2, .type = kDouble}, input);
    const auto rounded = run_model(config, {.sequences = 2, .type = type}, input);

    EXPECT_LT(distance(rounded.losses, exact.losses), loss_error) << config.name;
    EXPECT_LT(distance(rounded.gradients, exact.gradients), gradient_error) << config.name;
    EXPECT_GT(distance(rounded.gradients, exact.gradients), 0) << config.name;
  }
}

TEST(Model, InFloatIsWithinItsPrecision) { expect_near_double(DataType::float32, 1e-6, 1e-5); }

// 8 significant bits: half a unit in the last place is 2e-3.
TEST(Model, InBfloat16IsWithinItsPrecision) { expect_near_double(DataType::bfloat16, 1e-2, 5e-2); }

TEST(Model, InFloat16IsWithinItsPrecision) { expect_near_double(DataType::float16, 2e-3, 1e-2); }

}  // namespace
}  // namespace linerate::trainers
