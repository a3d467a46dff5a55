#include "model/training_bytes.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace linerate {
namespace {

bool is_valid(const TrainingLayout& layout) {
  const auto& sharded = layout.sharded;
  return sharded.optimizer >= sharded.gradients && sharded.gradients >= sharded.parameters &&
         layout.shards > 0 && layout.replicas > 0 &&
         (sharded.optimizer ? layout.tree == nullptr : layout.replicas == 1);
}

// Of each part what `count_of` says of it.
template <typename CountOf>
std::uint64_t sum(const TrainingLayout& layout, CountOf count_of) {
  std::uint64_t total = 0;
  for (const auto& part : layout.parts) total += count_of(part);
  return total;
}

std::uint64_t whole_elements(const TrainingLayout& layout) {
  return sum(layout, [](const TrainingPart& part) { return part.count; });
}

std::uint64_t gradient_elements(const TrainingLayout& layout) {
  if (layout.tree != nullptr)
    return layout.tree->parent < 0 ? 0 : layout.partial_sums * whole_elements(layout);
  const auto reductions = layout.sharded.gradients ? layout.micro_batches : 1;
  return reductions * layout.partial_sums * sum(layout, [&](const TrainingPart& part) {
           return reduce_scatter_sends(part.count, layout.shards);
         });
}

std::uint64_t result_elements(const TrainingLayout& layout) {
  if (layout.sharded.optimizer) return 0;
  if (layout.tree != nullptr) return layout.tree->children.size() * whole_elements(layout);
  return sum(layout,
             [&](const TrainingPart& part) { return all_gather_sends(part.count, layout.shards); });
}

std::uint64_t parameter_elements(const TrainingLayout& layout) {
  if (!layout.sharded.optimizer) return 0;
  return sum(layout, [&](const TrainingPart& part) {
    const auto gathers = layout.sharded.parameters ? part.gathers * layout.micro_batches : 1;
    return gathers * all_gather_sends(part.count, layout.shards);
  });
}

}  // namespace

std::uint64_t top_k_count(std::uint64_t count, double ratio) {
  const auto kept = static_cast<std::uint64_t>(std::ceil(static_cast<double>(count) * ratio));
  return std::clamp<std::uint64_t>(kept, std::min<std::uint64_t>(count, 1), count);
}

TrainingWireBytes training_wire_bytes(const TrainingLayout& layout) {
  assert(is_valid(layout));
  const auto across_replicas = sum(layout, [&](const TrainingPart& part) {
    return all_gather_sends(shard_count(part.count, layout.shards), layout.replicas);
  });
  const auto gradient = layout.types.gradient;
  return {.gradient_sums = gradient * gradient_elements(layout),
          .gradient_results = gradient * result_elements(layout),
          .parameters = layout.types.parameter * parameter_elements(layout),
          .replica_sums = gradient * layout.replica_partial_sums * across_replicas,
          .replica_results = gradient * across_replicas};
}

TrainingStateBytes training_state_bytes(const TrainingLayout& layout) {
  assert(is_valid(layout));
  const auto shard =
      sum(layout, [&](const TrainingPart& part) { return shard_count(part.count, layout.shards); });
  const auto& sharded = layout.sharded;
  const auto whole = sharded.optimizer ? shard * layout.shards : whole_elements(layout);
  const auto& types = layout.types;
  const auto optimizer = (types.master + types.moments) * (sharded.optimizer ? shard : whole);
  return {.parameters = types.parameter * (sharded.parameters ? shard : whole),
          .gradients = types.gradient * (sharded.gradients ? shard : whole),
          .optimizer = layout.offloads_optimizer ? 0 : optimizer,
          .offloaded = layout.offloads_optimizer ? optimizer : 0};
}

// Backward holds what forward held at the other end of the same window: both gather as much of any
// run of parts as there is room for.
std::uint64_t training_live_bytes(const TrainingLayout& layout, const GatherWindow& window) {
  assert(is_valid(layout));
  const auto padded = [&](std::size_t part) {
    return padded_count(layout.parts[part].count, layout.shards);
  };
  std::uint64_t stays = 0, most = 0;
  for (std::size_t first = 0; first < layout.parts.size(); ++first) {
    auto held = stays + padded(first);
    const auto end = std::min(first + window.ahead + 1, layout.parts.size());
    for (auto next = first + 1; next < end; ++next) {
      if (window.most > 0 && held + padded(next) > window.most) break;
      held += padded(next);
    }
    most = std::max(most, held);
    if (layout.parts[first].gathers == 1) stays += padded(first);
  }
  return layout.types.parameter * most;
}

}  // namespace linerate
