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
  Builder(const ModelConfig& model, const TensorShare& share) : model_(model), share_(share) {}

  void begin_unit(std::string prefix) {
    prefix_ = std::move(prefix);
    table_.unit_counts.push_back(0);
  }

  // What lies joined along a dimension, each of it cut among tensor-parallel ranks.
  using Joined = std::vector<std::size_t>;

  // rows x columns: what multiplies a vector of `columns` elements, or a table of `rows` vectors.
  void table_of_rows(const char* name, std::size_t rows, const Joined& cut) {
    matrix(name, {rows, model_.hidden}, kDeviation, 0, cut);
  }
  // Queries, keys and values: cut by heads, of which there may be fewer than ranks.
  void by_heads(const char* name) {
    of_heads_ = true;
    by_outputs(name, {model_.q_hidden(), model_.kv_hidden(), model_.kv_hidden()});
    of_heads_ = false;
  }
  // What yields all of `joined`: cut by outputs. With a bias in GPT-2.
  void by_outputs(const char* name, const Joined& joined) {
    const auto out = std::accumulate(joined.begin(), joined.end(), std::size_t{0});
    matrix(name, {out, model_.hidden}, kDeviation, 0, joined);
    if (!model_.llama) add(zeros(name, out), 0, joined);
  }
  // What adds to the residual stream: cut by inputs. Its bias, in GPT-2, is not.
  void by_inputs(const char* name, std::size_t in) {
    const double residual = kDeviation / std::sqrt(2.0 * static_cast<double>(model_.layers));
    matrix(name, {model_.hidden, in}, residual, 1, {in});
    if (!model_.llama) add(zeros(name, model_.hidden), 0, {});
  }

  void norm(const char* name) {
    add({.name = prefix_ + name + ".weight",
         .initial = Parameter::Initial::ones,
         .whole_shape = {model_.hidden}},
        0, {});
    if (model_.norm() == NormKind::layer) add(zeros(name, model_.hidden), 0, {});
  }

  ParameterTable table() && { return std::move(table_); }

 private:
  void matrix(const char* name, const std::vector<std::size_t>& shape, double deviation,
              std::size_t dim, const Joined& cut) {
    add({.name = prefix_ + name + ".weight",
         .deviation = deviation,
         .decays = true,
         .whole_shape = shape},
        dim, cut);
  }
  Parameter zeros(const char* name, std::size_t count) const {
    return {.name = prefix_ + name + ".bias",
            .initial = Parameter::Initial::zeros,
            .whole_shape = {count}};
  }

  void add(Parameter parameter, std::size_t dim, const Joined& joined) {
    auto& end = table_.unit_counts.back();
    parameter.number = table_.parameters.size();
    parameter.unit = table_.units() - 1;
    parameter.offset = end;
    parameter.shape = parameter.whole_shape;
    parameter.cut = dim;
    std::size_t before = 0, own = 0;
    for (const auto whole : share_.whole() ? Joined{} : joined) {
      const bool copied = of_heads_ && before > 0;  // keys or values
      const auto range = copied ? kv_part() : share_.all(whole);
      parameter.pieces.push_back({whole, before + range.offset, range.count});
      before += whole;
      own += range.count;
    }
    if (!parameter.pieces.empty()) parameter.shape[dim] = own;
    if (!share_.whole()) set_copies(parameter);
    end += parameter.count();
    table_.parameters.push_back(std::move(parameter));
  }

  // Keys' elements, or values', of this rank.
  Range kv_part() const {
    const auto heads = share_.kv_heads(model_.kv_heads);
    return {heads.offset * model_.head(), heads.count * model_.head()};
  }
  // Of what several ranks hold, the first one counts.
  void set_copies(Parameter& parameter) const {
    if (parameter.pieces.empty() && share_.rank > 0) parameter.uncounted = parameter.count();
    const auto copies = share_.copies(model_.kv_heads);
    if (!of_heads_ || copies == 1) return;
    parameter.copied_rows = 2 * kv_part().count;
    if (share_.rank % copies > 0)
      parameter.uncounted = parameter.count() / parameter.shape[0] * parameter.copied_rows;
  }

  const ModelConfig& model_;
  const TensorShare share_;
  bool of_heads_ = false;
  std::string prefix_;
  ParameterTable table_;
};

void add_block(Builder& builder, const ModelConfig& model) {
  const auto mlp = model.mlp;
  builder.norm("norm1");
  builder.by_heads("attention.qkv");
  builder.by_inputs("attention.out", model.q_hidden());
  builder.norm("norm2");
  if (model.llama)
    builder.by_outputs("mlp.gate_up", {mlp, mlp});
  else
    builder.by_outputs("mlp.up", {mlp});
  builder.by_inputs("mlp.down", mlp);
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

std::size_t product_of(const std::vector<std::size_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

}  // namespace

std::size_t Parameter::count() const { return product_of(shape); }

std::size_t Parameter::whole_count() const { return product_of(whole_shape); }

Range Parameter::whole_range(std::size_t index, std::size_t count) const {
  if (pieces.empty() || shape == whole_shape) return {index, count};
  const auto columns = shape.size() > 1 ? shape[1] : 1;
  const auto whole_columns = whole_shape.size() > 1 ? whole_shape[1] : 1;
  const auto row = index / columns, column = index % columns;
  auto along = cut == 0 ? row : column;
  auto piece = pieces.begin();
  for (; along >= piece->count; ++piece) along -= piece->count;
  const auto place = piece->origin + along, left = piece->count - along;
  if (cut == 0) return {place * whole_columns + column, std::min(count, left * columns - column)};
  return {row * whole_columns + place, std::min(count, left)};
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

ParameterTable parameters_of(const ModelConfig& model, const TensorShare& share) {
  Builder builder(model, share);
  builder.begin_unit("embedding.");
  builder.table_of_rows("token", model.vocabulary, {model.vocabulary});
  if (!model.llama) builder.table_of_rows("position", model.length, {});
  for (std::size_t layer = 0; layer < model.layers; ++layer) {
    builder.begin_unit(fmt::format("block{}.", layer));
    add_block(builder, model);
  }
  builder.begin_unit("");
  builder.norm("norm");
  return std::move(builder).table();
}

ParameterTable units_of(const ParameterTable& whole, const Range& units) {
  ParameterTable table{.mesh = whole.mesh, .placements = whole.placements};
  for (auto unit = units.offset; unit < units.offset + units.count; ++unit)
    table.unit_counts.push_back(whole.unit_counts[unit]);
  for (auto parameter : whole.parameters) {
    if (parameter.unit < units.offset || parameter.unit - units.offset >= units.count) continue;
    parameter.unit -= units.offset;
    table.parameters.push_back(std::move(parameter));
  }
  if (units.offset > 0) table.tied = whole.parameters.front();
  return table;
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
      return row.deviation * normal_value(splitmix64(splitmix64(seed) ^ row.number),
                                          row.whole_range(index, 1).offset);
  }
  __builtin_unreachable();
}

DecoderSizes decoder_sizes(const ModelConfig& model) {
  return {.layers = model.layers,
          .hidden = model.hidden,
          .heads = model.heads,
          .kv_heads = model.kv_heads,
          .mlp = model.mlp,
          .length = model.length,
          .vocabulary = model.vocabulary,
          .gated = model.llama,
          .parameters = parameters_of(model).count()};
}

}  // namespace linerate::trainers
