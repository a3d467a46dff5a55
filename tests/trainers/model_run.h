// A Model on the host's memory, run over micro-batches: what tests and the oracle's dump look at.
#pragma once

#include "base/clock.h"
#include "base/splitmix.h"
#include "devices/cpu/cpu_device.h"
#include "devices/cpu/math/cpu_math.h"
#include "trainers/memory/arena.h"
#include "trainers/model/model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace linerate::trainers {

// Parameters and a batch, made up. Values lie in the order of the table.
struct ModelInput {
  std::vector<double> parameters{};
  std::vector<std::int32_t> tokens{}, targets{};
  std::uint64_t dropout_key = 5;
  std::uint64_t first_position = 0;
  double loss_scale = 1;
};

// In [-1, 1).
inline double noise(std::uint64_t place) {
  return static_cast<double>(splitmix64(place) >> 11) * 0x1p-52 - 1;
}

// Initial values with noise: no bias is 0 and no norm's weight is 1. A seventh of the targets does
// not count.
inline ModelInput made_up_input(const ModelConfig& config, std::size_t sequences,
                                std::uint64_t seed = 1) {
  const auto table = parameters_of(config);
  ModelInput input;
  for (std::size_t p = 0; p < table.parameters.size(); ++p)
    for (std::size_t i = 0; i < table.parameters[p].count(); ++i)
      input.parameters.push_back(initial_value(table, p, i, seed) +
                                 0.2 * noise(splitmix64(seed ^ p) + i));
  const auto token = [&](std::uint64_t place) {
    return static_cast<std::int32_t>(splitmix64(splitmix64(seed) + place) % config.vocabulary);
  };
  for (std::size_t i = 0; i < sequences * config.length; ++i) {
    input.tokens.push_back(token(2 * i));
    input.targets.push_back(i % 7 == 3 ? -1 : token(2 * i + 1));
  }
  return input;
}

struct ModelOutput {
  std::vector<double> logits{}, losses{};  // of all rows
  std::vector<double> gradients{};         // as the parameters
  std::vector<std::size_t> ready{};        // parameters, of the last micro-batch

  double loss() const {
    double sum = 0;
    for (const auto loss : losses) sum += loss;
    return sum;
  }
};

// One rank's worth of a trainer, without any communication.
class ModelRun {
 public:
  // `options.sequences` of each micro-batch, at most.
  ModelRun(const ModelConfig& config, const ModelOptions& options)
      : config_(config),
        options_(options),
        model_(std::make_unique<Model>(config_, table_, options, *math_, tensor_, arena_)),
        parameters_(arena_.allocate(Category::parameter, options.type, table_.count())),
        gradients_(arena_.allocate(Category::gradient, options.type, table_.count())) {}

  // Forward, and backward where the model trains, of all micro-batches of `input`.
  ModelOutput run(const ModelInput& input) {
    write(parameters_.array(options_.type), input.parameters);
    device_->zero(gradients_.view(), *stream_);
    ModelOutput output;
    const auto rows = options_.sequences * config_.length;
    for (std::size_t begin = 0; begin < input.tokens.size(); begin += rows) {
      const auto count = std::min(rows, input.tokens.size() - begin);
      model_->begin({.tokens = std::span(input.tokens).subspan(begin, count),
                     .targets = std::span(input.targets).subspan(begin, count),
                     .sequences = count / config_.length,
                     .dropout_key = input.dropout_key,
                     .first_position = input.first_position + begin});
      forward();
      const auto logits = read(model_->logits(), options_.trains ? count * config_.vocabulary : 0);
      output.logits.insert(output.logits.end(), logits.begin(), logits.end());
      output.ready.clear();
      if (options_.trains) backward(input.loss_scale, output.ready);
      const auto losses = model_->losses();
      output.losses.insert(output.losses.end(), losses.begin(), losses.end());
    }
    output.gradients = read(gradients_.array(options_.type), table_.count());
    return output;
  }

  const ParameterTable& table() const { return table_; }
  const Arena& arena() const { return arena_; }

 private:
  Array of_unit(const Block& all, std::size_t unit) const {
    return all.array(options_.type).from(table_.unit_begin(unit));
  }
  void forward() {
    for (std::size_t unit = 0; unit < table_.units(); ++unit)
      model_->forward(unit, of_unit(parameters_, unit), of_unit(parameters_, 0), *stream_);
  }
  void backward(double loss_scale, std::vector<std::size_t>& ready) {
    for (std::size_t unit = table_.units(); unit-- > 0;)
      model_->backward(
          unit, of_unit(parameters_, unit), of_unit(parameters_, 0),
          {.own = of_unit(gradients_, unit), .embeddings = of_unit(gradients_, 0)}, loss_scale,
          [&](std::size_t p) { ready.push_back(p); }, *stream_);
  }
  static Array doubles(std::vector<double>& values) {
    return {reinterpret_cast<std::byte*>(values.data()), DataType::float64};
  }
  void write(Array to, std::vector<double> values) {
    math_->cast(to, doubles(values), values.size(), *stream_);
  }
  std::vector<double> read(Array from, std::size_t count) {
    std::vector<double> values(count);
    math_->cast(doubles(values), from, count, *stream_);
    return values;
  }

  const ModelConfig config_;
  const ModelOptions options_;
  const ParameterTable table_ = parameters_of(config_);
  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_cpu_device(0, clock_);
  std::unique_ptr<Stream> stream_ = device_->stream();
  std::unique_ptr<Math> math_ = make_cpu_math();
  Arena arena_{*device_};
  TensorParallel tensor_;
  std::unique_ptr<Model> model_;
  Block parameters_, gradients_;
};

inline ModelOutput run_model(const ModelConfig& config, const ModelOptions& options,
                             const ModelInput& input) {
  return ModelRun(config, options).run(input);
}

// Small models of both kinds with sizes that nothing divides.
inline ModelConfig ragged_gpt2() {
  return {.name = "ragged-gpt2",
          .layers = 3,
          .hidden = 21,
          .heads = 3,
          .kv_heads = 3,
          .length = 13,
          .vocabulary = 257,
          .mlp = 4 * 21};
}
inline ModelConfig ragged_llama() {
  return {.name = "ragged-llama",
          .llama = true,
          .layers = 2,
          .hidden = 36,
          .heads = 6,
          .kv_heads = 2,
          .length = 11,
          .vocabulary = 257,
          .mlp = 97};
}

}  // namespace linerate::trainers
