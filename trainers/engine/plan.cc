#include "trainers/engine/plan.h"

#include "model/training_bytes.h"
#include "trainers/data/sampler.h"

#include <fmt/format.h>

#include <cmath>

namespace linerate::trainers {
namespace {

int shards_of(const TrainConfig& config, int nranks) {
  if (config.stage == Stage::none) return 1;
  return config.shard_size > 0 ? config.shard_size : nranks;
}

// Gradients are those of the sum of token losses. Multiplied by it they are about as large as those
// of the mean, which PyTorch's fp16_compress_hook sends.
double fp16_factor(const TrainConfig& config) {
  const auto tokens = static_cast<double>(config.batch * config.model.length);
  return std::exp2(-std::ceil(std::log2(tokens)));
}

Mesh mesh_of(const TrainConfig& config, int nranks) {
  const auto shards = static_cast<std::size_t>(shards_of(config, nranks));
  return Mesh(
      {{std::string(kAxisNames[kShardAxis]), shards},
       {std::string(kAxisNames[kReplicateAxis]), static_cast<std::size_t>(nranks) / shards}});
}

// As the stage says along the shard axis; along the other one all hold the same.
StatePlacements placements_of(Stage stage) {
  const auto sharded = zero_stage(static_cast<int>(stage));
  const auto whole_gradients = sharded.optimizer ? partial() : replicate();
  return {.parameters = {sharded.parameters ? shard(0) : replicate(), replicate()},
          .gradients = {sharded.gradients ? shard(0) : whole_gradients, replicate()},
          .optimizer = {sharded.optimizer ? shard(0) : replicate(), replicate()}};
}

}  // namespace

Position position_of(const TrainConfig& config, int rank, int nranks) {
  const auto tp = static_cast<int>(config.tp);
  const auto leaves = config.deterministic ? canonical_leaves(config.model) : config.tp;
  return {.tensor = {.leaves = leaves,
                     .rank = static_cast<std::size_t>(rank % tp),
                     .nranks = config.tp,
                     .in_order = config.deterministic},
          .data_rank = rank / tp,
          .data_nranks = nranks / tp};
}

ParameterTable table_of(const TrainConfig& config, const Position& position) {
  auto table = parameters_of(config.model, position.tensor);
  table.mesh = mesh_of(config, position.data_nranks);
  table.placements = placements_of(config.stage);
  return table;
}

std::optional<std::string> mesh_refusal(const TrainConfig& config, int nranks) {
  const auto divisors = [](int of) {
    std::string choices;
    for (int size = 1; size <= of; ++size)
      if (of % size == 0) choices += fmt::format("{}{}", choices.empty() ? "" : ", ", size);
    return choices;
  };
  const auto tp = static_cast<int>(config.tp);
  if (nranks % tp != 0)
    return fmt::format("--tp {} does not divide {} ranks; choices: {}.", tp, nranks,
                       divisors(nranks));
  if (const auto refusal = tensor_refusal(config.model, config.tp, config.deterministic))
    return refusal;
  const int data = nranks / tp;
  if (data % shards_of(config, data) == 0) return std::nullopt;
  return fmt::format("--shard-size {} does not divide {} {}; choices: {}.", config.shard_size, data,
                     tp > 1 ? "data-parallel ranks" : "ranks", divisors(data));
}

MicroBatchRange micro_batches_of_ranks(const MicroBatches& micro_batches, std::pair<int, int> ranks,
                                       int nranks) {
  const auto first = share_of(micro_batches.count(), ranks.first, nranks);
  const auto last = share_of(micro_batches.count(), ranks.second - 1, nranks);
  return {first.first, last.first + last.count};
}

MicroBatches micro_batches_of(const TrainConfig& config, int nranks) {
  const auto ranks = static_cast<std::uint64_t>(nranks);
  const auto share = (config.batch + ranks - 1) / ranks;
  const auto usual = config.deterministic ? 1 : share;
  return {.batch = config.batch, .size = config.micro_batch > 0 ? config.micro_batch : usual};
}

GradientPlan plan_of(const TrainConfig& config, const ParameterTable& table,
                     const FlatLayout& layout, int rank) {
  const auto element = bytes_of(config.type);
  GradientPlan plan{.table = table,
                    .layout = layout,
                    .overlap = config.overlap,
                    .canonical = config.deterministic,
                    .sync = config.sync,
                    .hook = {.hook = config.hook,
                             .topk_ratio = config.topk_ratio,
                             .fp16_factor = fp16_factor(config)}};
  auto caps = config.buckets;
  if (is_sharded(table.placements.parameters)) caps = {.first_bytes = 0, .bytes = 0};
  const bool evenly = config.deterministic || config.sync == Sync::reduce_scatter;
  plan.buckets = !plan.steps_a_shard() && !evenly
                     ? buckets_of_parameters(table, layout, caps, element)
                     : buckets_of_units(table, layout, caps, element);
  plan.owned = owned_of(table, layout, plan.buckets, static_cast<std::size_t>(rank));
  return plan;
}

}  // namespace linerate::trainers
