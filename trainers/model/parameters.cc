#include "trainers/model/parameters.h"

#include "base/splitmix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <utility>

namespace linerate::trainers {
namespace {

constexpr double kDeviation = 0.02;

// Appends parameters to a table, unit by unit.
class Builder {
 public:
  explicit Builder(const ModelConfig& model) : model_(model) {}

  void begin_unit(std::string prefix) {
    prefix_ = std::move(prefix);
    table_.unit_counts.push_back(0);
  }

  // rows x columns: what multiplies a vector of `columns` elements, or a table of `rows` vectors.
  void matrix(const char* name, std::size_t rows, std::size_t columns, double deviation) {
    add({.name = prefix_ + name + ".weight",
         .shape = {rows, columns},
         .deviation = deviation,
         .decays = true});
  }

  // What multiplies `in` elements and yields `out`; with a bias in GPT-2.
  void linear(const char* name, std::size_t out, std::size_t in, double deviation) {
    matrix(name, out, in, deviation);
    if (!model_.llama)
      add({.name = prefix_ + name + ".bias", .shape = {out}, .initial = Parameter::Initial::zeros});
  }

  void norm(const char* name) {
    add({.name = prefix_ + name + ".weight",
         .shape = {model_.hidden},
         .initial = Parameter::Initial::ones});
    if (model_.norm() == NormKind::layer)
      add({.name = prefix_ + name + ".bias",
           .shape = {model_.hidden},
           .initial = Parameter::Initial::zeros});
  }

  ParameterTable table() && { return std::move(table_); }

 private:
  void add(Parameter parameter) {
    auto& end = table_.unit_counts.back();
    parameter.unit = table_.units() - 1;
    parameter.offset = end;
    end += parameter.count();
    table_.parameters.push_back(std::move(parameter));
  }

  const ModelConfig& model_;
  std::string prefix_;
  ParameterTable table_;
};

void add_block(Builder& builder, const ModelConfig& model) {
  const double residual = kDeviation / std::sqrt(2.0 * static_cast<double>(model.layers));
  builder.norm("norm1");
  builder.linear("attention.qkv", model.qkv(), model.hidden, kDeviation);
  builder.linear("attention.out", model.hidden, model.hidden, residual);
  builder.norm("norm2");
  builder.linear(model.llama ? "mlp.gate_up" : "mlp.up", model.mlp_in(), model.hidden, kDeviation);
  builder.linear("mlp.down", model.hidden, model.mlp, residual);
}

// Box & Muller 1958. The values of a key are the sequence of SplitMix64 that starts there, two
// numbers for each element.
double normal_value(std::uint64_t key, std::size_t index) {
  constexpr double kUlp = 0x1p-53;
  const auto number = [&](std::uint64_t n) {
    return static_cast<double>(splitmix64(key + n * kSplitMixStep) >> 11);
  };
  const double radius = std::sqrt(-2 * std::log((number(2 * index) + 1) * kUlp));  // of (0, 1]
  return radius * std::cos(2 * std::numbers::pi * (number(2 * index + 1) * kUlp));
}

}  // namespace

std::size_t Parameter::count() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

std::size_t ParameterTable::count() const { return unit_begin(units()); }

std::size_t ParameterTable::unit_begin(std::size_t unit) const {
  const auto end = unit_counts.begin() + static_cast<std::ptrdiff_t>(unit);
  return std::accumulate(unit_counts.begin(), end, std::size_t{0});
}

std::optional<std::size_t> ParameterTable::index_of(std::string_view name) const {
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  if (found == parameters.end()) return {};
  return static_cast<std::size_t>(found - parameters.begin());
}

ParameterTable parameters_of(const ModelConfig& model) {
  Builder builder(model);
  builder.begin_unit("embedding.");
  builder.matrix("token", model.vocabulary, model.hidden, kDeviation);
  if (!model.llama) builder.matrix("position", model.length, model.hidden, kDeviation);
  for (std::size_t layer = 0; layer < model.layers; ++layer) {
    builder.begin_unit(fmt::format("block{}.", layer));
    add_block(builder, model);
  }
  builder.begin_unit("");
  builder.norm("norm");
  return std::move(builder).table();
}

double initial_value(const ParameterTable& table, std::size_t parameter, std::size_t index,
                     std::uint64_t seed) {
  const auto& row = table.parameters[parameter];
  switch (row.initial) {
    case Parameter::Initial::ones:
      return 1;
    case Parameter::Initial::zeros:
      return 0;
    case Parameter::Initial::normal:
      return row.deviation * normal_value(splitmix64(splitmix64(seed) ^ parameter), index);
  }
  __builtin_unreachable();
}

}  // namespace linerate::trainers
