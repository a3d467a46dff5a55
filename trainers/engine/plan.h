// How a step's work is cut: ranks into shards and replicas, the global batch into micro-batches,
// gradients into buckets.
#pragma once

#include "trainers/engine/config.h"
#include "trainers/engine/gradients.h"
#include "trainers/model/parameters.h"

#include <cstdint>
#include <optional>
#include <string>

namespace linerate::trainers {

// The data-parallel ranks as a mesh: axis 0, of consecutive ranks, shards what the stage says, and
// along axis 1 all hold the same. In stage 0 all ranks are along axis 1.
inline constexpr std::size_t kShardAxis = 0, kReplicateAxis = 1;
inline constexpr std::string_view kAxisNames[] = {"dp_shard", "dp_replicate"};
// Tensor-parallel ranks are neighbours: they hold parts of the same layers, and work on the same
// sequences.
inline constexpr std::string_view kTensorAxisName = "tp";

// Where a rank of the job stands. REQUIRES: mesh_refusal() has none.
struct Position {
  TensorShare tensor{};
  int data_rank = 0, data_nranks = 1;  // among the data-parallel ranks of the same tensor share
};
Position position_of(const TrainConfig& config, int rank, int nranks);

// The parameters of a rank, with the placements of their state on the mesh of its data-parallel
// ranks.
ParameterTable table_of(const TrainConfig& config, const Position& position);
// The axis along which gradients are added up first.
inline std::size_t main_axis(const ParameterTable& table) {
  return is_sharded(table.placements.optimizer) ? kShardAxis : kReplicateAxis;
}
// Nothing, or why as many ranks cannot be arranged so.
std::optional<std::string> mesh_refusal(const TrainConfig& config, int nranks);

// The micro-batches of a global batch: consecutive sequences, as many in each but for the last one.
struct MicroBatches {
  std::uint64_t batch = 0, size = 1;

  std::uint64_t count() const { return (batch + size - 1) / size; }
  std::uint64_t first(std::uint64_t micro_batch) const { return micro_batch * size; }
  std::uint64_t sequences(std::uint64_t micro_batch) const {
    return micro_batch * size + size <= batch ? size : batch - micro_batch * size;
  }
};

// Of consecutive ranks, which have consecutive micro-batches: those of the ranks before
// `ranks.second`.
MicroBatchRange micro_batches_of_ranks(const MicroBatches& micro_batches, std::pair<int, int> ranks,
                                       int nranks);

// In canonical mode each is one sequence, unless asked otherwise: they must not depend on the
// ranks.
MicroBatches micro_batches_of(const TrainConfig& config, int nranks);

// Of a rank. Buckets of parameters where nothing is sharded, else of whole units, and of a unit
// each where parameters are. Both references outlive the plan.
GradientPlan plan_of(const TrainConfig& config, const ParameterTable& table,
                     const FlatLayout& layout, int rank);

}  // namespace linerate::trainers
