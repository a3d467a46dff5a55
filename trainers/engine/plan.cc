#include "trainers/engine/plan.h"

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

}  // namespace

Mesh mesh_of(const TrainConfig& config, int nranks) {
  const auto shards = static_cast<std::size_t>(shards_of(config, nranks));
  return Mesh({{std::string(kShardAxisName), shards},
               {std::string(kReplicateAxisName), static_cast<std::size_t>(nranks) / shards}});
}

std::optional<std::string> mesh_refusal(const TrainConfig& config, int nranks) {
  if (nranks % shards_of(config, nranks) == 0) return std::nullopt;
  std::string choices;
  for (int size = 1; size <= nranks; ++size)
    if (nranks % size == 0) choices += fmt::format("{}{}", choices.empty() ? "" : ", ", size);
  return fmt::format("--shard-size {} does not divide {} ranks; choices: {}.", config.shard_size,
                     nranks, choices);
}

LeafRange leaves_of_ranks(const Leaves& leaves, std::pair<int, int> ranks, int nranks) {
  const auto first = share_of(leaves.count(), ranks.first, nranks);
  const auto last = share_of(leaves.count(), ranks.second - 1, nranks);
  return {first.first, last.first + last.count};
}

Leaves leaves_of(const TrainConfig& config, int nranks) {
  const auto ranks = static_cast<std::uint64_t>(nranks);
  const auto share = (config.batch + ranks - 1) / ranks;
  const auto usual = config.deterministic ? 1 : share;
  return {.batch = config.batch, .size = config.micro_batch > 0 ? config.micro_batch : usual};
}

GradientPlan plan_of(const TrainConfig& config, const ParameterTable& table,
                     const FlatLayout& layout) {
  const auto element = bytes_of(config.type);
  GradientPlan plan{.table = table,
                    .layout = layout,
                    .stage = config.stage,
                    .overlap = config.overlap,
                    .canonical = config.deterministic,
                    .sync = config.sync,
                    .hook = {.hook = config.hook,
                             .topk_ratio = config.topk_ratio,
                             .fp16_factor = fp16_factor(config)}};
  auto caps = config.buckets;
  if (config.stage == Stage::parameters) caps = {.first_bytes = 0, .bytes = 0};
  const bool evenly = config.deterministic || config.sync == Sync::reduce_scatter;
  plan.buckets = config.stage == Stage::none && !evenly
                     ? buckets_of_parameters(table, layout, caps, element)
                     : buckets_of_units(table, layout, caps, element);
  return plan;
}

}  // namespace linerate::trainers
