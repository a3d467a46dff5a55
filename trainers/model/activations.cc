#include "trainers/model/activations.h"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace linerate::trainers {
namespace {

struct Row {
  std::function<Array&(BlockTensors&)> tensor;
  std::size_t columns = 0;  // elements of a position
  // The mode that computes most and still keeps it. Beyond it, all blocks share one.
  Recompute kept_by = Recompute::selective;
  bool statistic = false;
  bool own = false;  // where rows are split, this rank has some
};

DataType statistics_of(DataType type) {
  return type == DataType::float64 ? DataType::float64 : DataType::float32;
}

// The list of what is saved of a block.
std::vector<Row> block_rows(const ModelConfig& model) {
  const auto h = model.hidden;
  const std::size_t mean = model.norm() == NormKind::layer ? 1 : 0;
  constexpr auto kAlways = Recompute::full;
  constexpr auto kAttention = Recompute::none;
  constexpr auto kOther = Recompute::selective;
  return {
      {[](auto& t) -> Array& { return t.x; }, h, kAlways, false, true},
      {[](auto& t) -> Array& { return t.norm1.mean; }, mean, kOther, true, true},
      {[](auto& t) -> Array& { return t.norm1.rstd; }, 1, kOther, true, true},
      {[](auto& t) -> Array& { return t.norm1.y; }, h, kOther, false, true},
      {[](auto& t) -> Array& { return t.qkv; }, model.qkv()},
      {[](auto& t) -> Array& { return t.o; }, model.q_hidden(), kAttention},
      {[](auto& t) -> Array& { return t.lse; }, model.heads, kAttention, true},
      {[](auto& t) -> Array& { return t.middle; }, h, kOther, false, true},
      {[](auto& t) -> Array& { return t.norm2.mean; }, mean, kOther, true, true},
      {[](auto& t) -> Array& { return t.norm2.rstd; }, 1, kOther, true, true},
      {[](auto& t) -> Array& { return t.norm2.y; }, h, kOther, false, true},
      {[](auto& t) -> Array& { return t.up; }, model.mlp_in()},
      {[](auto& t) -> Array& { return t.act; }, model.mlp},
  };
}

// What Ulysses saves of a sequence: all positions of some heads.
std::size_t exchanged_bytes(const ModelConfig& model, const ModelOptions& options) {
  if (options.sequence.split.ranks == 1 || options.context != ContextMethod::ulysses) return 0;
  const auto& split = options.sequence.split;
  const auto elements = model.qkv() + model.q_hidden();
  const auto position =
      elements * bytes_of(options.type) + model.heads * bytes_of(statistics_of(options.type));
  return split.length * position / split.ranks *
         (keeps_attention(options) ? options.slots * model.layers : 1);
}

std::size_t narrow_columns(const ModelConfig& model, const ModelOptions& options) {
  return std::max(model.hidden / options.row_parts, model.q_hidden());
}

}  // namespace

Activations::Activations(const ModelConfig& model, const ModelOptions& options, Arena& arena)
    : layers_(model.layers), blocks_(options.slots * model.layers) {
  const auto rows = options.sequences * model.length, own_rows = rows / options.row_parts;
  const auto of_rows = [&](std::size_t count, std::size_t columns, DataType type) {
    if (columns == 0) return Array{};
    memory_.push_back(arena.allocate(Category::activation, type, count * columns));
    return memory_.back().array(type);
  };
  const auto allocate = [&](std::size_t columns, DataType type) {
    return of_rows(rows, columns, type);
  };
  const auto allocate_own = [&](std::size_t columns, DataType type) {
    return of_rows(own_rows, columns, type);
  };
  const auto statistics = statistics_of(options.type);

  // One piece of memory for a tensor of all blocks that keep it.
  for (const auto& row : block_rows(model)) {
    const bool kept = options.trains && options.recompute <= row.kept_by;
    const auto count = row.own ? own_rows : rows;
    const auto all = of_rows(count, row.columns * (kept ? blocks_.size() : 1),
                             row.statistic ? statistics : options.type);
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      row.tensor(blocks_[i]) = kept ? all.from(i * count * row.columns) : all;
  }
  if (!options.heads) output_ = allocate_own(model.hidden, options.type);
  for (std::size_t slot = 0; options.heads && slot < options.slots; ++slot)
    heads_.push_back(
        {.x = options.trains ? allocate_own(model.hidden, options.type) : blocks_.front().x,
         .norm = {.mean = allocate_own(model.llama ? 0 : 1, statistics),
                  .rstd = allocate_own(1, statistics),
                  .y = allocate_own(model.hidden, options.type)},
         .inputs = allocate(options.row_parts > 1 ? model.hidden : 0, options.type),
         .logits = allocate(model.vocabulary, options.type),
         .losses = allocate(1, DataType::float64),
         .hits = allocate(1, DataType::uint8),
         .most = allocate(options.cut_classes ? 1 : 0, DataType::float64),
         .sums = allocate(options.cut_classes ? 2 : 0, DataType::float64)});
  for (auto& head : heads_)
    if (!head.inputs) head.inputs = head.norm.y;
  if (!options.trains) return;
  // Attention's gradient has all rows of some heads.
  scratch_ = {.dx = allocate_own(model.hidden, options.type),
              .dnarrow = allocate(narrow_columns(model, options), options.type),
              .dwide = allocate(std::max(model.mlp_in(), model.qkv()), options.type),
              .dbranch = allocate_own(model.dropout > 0 ? model.hidden : 0, options.type)};
  scratch_.dact = model.llama ? allocate(model.mlp, options.type) : scratch_.dwide;
}

std::size_t activation_bytes(const ModelConfig& model, const ModelOptions& options) {
  const auto e = bytes_of(options.type);
  const auto s = bytes_of(statistics_of(options.type));
  const auto h = model.hidden;
  const auto norm = h * e + (model.llama ? 1 : 2) * s;  // y and the statistics
  const auto attention = model.q_hidden() * e + model.heads * s;
  const auto classes = (options.cut_classes ? 4 : 1) * sizeof(double) + sizeof(std::uint8_t);
  const auto kept = options.trains ? options.slots * model.layers : 1;
  const auto attentions = options.recompute == Recompute::none ? kept : 1;
  const auto middles = options.recompute == Recompute::full ? 1 : kept;
  const auto heads = options.heads ? options.slots : 0;

  // Of a position; and of one that is this rank's own, where rows are split.
  auto position = attentions * attention +
                  middles * (model.qkv() + model.mlp_in() + model.mlp) * e +
                  heads * (model.vocabulary * e + classes);
  if (options.row_parts > 1) position += heads * h * e;
  auto own = kept * h * e + middles * (h * e + 2 * norm) + heads * norm;
  own += options.heads ? (options.trains ? heads * h * e : 0) : h * e;
  if (options.trains) {
    own += (1 + (model.dropout > 0 ? 1 : 0)) * h * e;
    position += (narrow_columns(model, options) + std::max(model.mlp_in(), model.qkv()) +
                 (model.llama ? model.mlp : 0)) *
                e;
  }
  const auto narrow = narrow_columns(model, options);
  const auto branches = 2 * (narrow + h) + model.mlp_in() + model.qkv();
  position += options.later * e *
              (model.layers * branches + (options.heads ? narrow : 0) + (options.embeds ? h : 0));
  return options.sequences * (model.length * position + model.length / options.row_parts * own +
                              exchanged_bytes(model, options));
}

}  // namespace linerate::trainers
