// Gradients of a Model beside finite differences of its loss, parameter by parameter.
#include "trainers/model_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace linerate::trainers {
namespace {

constexpr double kStep = 1e-5;
// Relative to the length of the gradient: the third derivative and rounding leave some 1e-9.
constexpr double kTolerance = 1e-7;

struct Slope {
  double measured = 0, computed = 0, length = 0;
};

// Along a made-up direction in the space of one parameter tensor.
class Slopes {
 public:
  Slopes(const ModelConfig& config, std::size_t sequences)
      : input_(made_up_input(config, sequences)),
        evaluation_(config, {.sequences = sequences, .type = DataType::float64, .trains = false}),
        gradients_(run_model(config, {.sequences = sequences, .type = DataType::float64}, input_)
                       .gradients) {}

  const ParameterTable& table() const { return evaluation_.table(); }

  Slope of(std::size_t parameter) {
    const auto& row = table().parameters[parameter];
    const auto begin = table().unit_begin(row.unit) + row.offset;
    Slope slope;
    double squares = 0;
    for (std::size_t i = begin; i < begin + row.count(); ++i) {
      slope.computed += gradients_[i] * noise(i);
      squares += gradients_[i] * gradients_[i];
    }
    slope.length = std::sqrt(squares);
    slope.measured =
        (loss(begin, row.count(), kStep) - loss(begin, row.count(), -kStep)) / (2 * kStep);
    return slope;
  }

 private:
  double loss(std::size_t begin, std::size_t count, double step) {
    auto moved = input_;
    for (std::size_t i = begin; i < begin + count; ++i) moved.parameters[i] += step * noise(i);
    return evaluation_.run(moved).loss();
  }

  ModelInput input_;
  ModelRun evaluation_;
  std::vector<double> gradients_;
};

void expect_slopes(const ModelConfig& config) {
  Slopes slopes(config, 2);
  const auto& parameters = slopes.table().parameters;
  for (std::size_t parameter = 0; parameter < parameters.size(); ++parameter) {
    const auto slope = slopes.of(parameter);
    EXPECT_GT(slope.length, 0) << parameters[parameter].name;
    EXPECT_NEAR(slope.measured, slope.computed, kTolerance * slope.length + 1e-8)
        << config.name << " " << parameters[parameter].name;
  }
}

TEST(Gradients, OfGpt2AreTheSlopesOfTheLoss) { expect_slopes(ragged_gpt2()); }

TEST(Gradients, OfLlamaAreTheSlopesOfTheLoss) { expect_slopes(ragged_llama()); }

TEST(Gradients, WithDropoutAreTheSlopesOfTheLoss) {
  for (auto config : {ragged_gpt2(), ragged_llama()}) {
    config.dropout = 0.2;
    expect_slopes(config);
  }
}

}  // namespace
}  // namespace linerate::trainers
