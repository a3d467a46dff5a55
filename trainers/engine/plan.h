// How a step's work is cut: ranks into shards and replicas, the global batch into micro-batches,
// gradients into buckets.
#pragma once

#include "trainers/engine/config.h"
#include "trainers/engine/gradients.h"
#include "trainers/model/parameters.h"
#include "trainers/pipeline/schedule.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace linerate::trainers {

// The ranks that hold the same share of the model, of the context-parallel and the data-parallel
// axis, as a mesh: axis 0, of consecutive ranks, shards what the stage says, and
// along axis 1 all hold the same. In stage 0 all ranks are along axis 1.
inline constexpr std::size_t kShardAxis = 0, kReplicateAxis = 1;
inline constexpr std::string_view kAxisNames[] = {"dp_shard", "dp_replicate"};
// Tensor-parallel ranks hold parts of the same layers, and work on the same
// sequences.
inline constexpr std::string_view kTensorAxisName = "tp";
// Beyond them, context-parallel ranks share the same sequences. They hold the same parameters, and
// add up gradients with the data-parallel ranks.
inline constexpr std::string_view kContextAxisName = "cp";
// Stages of a pipeline are far apart: they hold different layers, and send each other little.
inline constexpr std::string_view kPipelineAxisName = "pp";

// Where a rank of the job stands. In the usual order tensor-parallel ranks count fastest, then
// context-parallel ones, then data-parallel ones, then stages.
struct Position {
  int place = 0;  // among all ranks, in the usual order
  TensorShare tensor{};
  SequenceShare sequence{};
  int data_rank = 0, data_nranks = 1;  // among the ranks of the same share of the model and stage
  int stage = 0, nstages = 1;          // of the pipeline

  int cp() const { return static_cast<int>(sequence.split.ranks); }
  // Among those that have other sequences.
  int batch_rank() const { return data_rank / cp(); }
  int batch_nranks() const { return data_nranks / cp(); }

  // Of the ranks of the same share and data-parallel rank, one for each stage.
  std::size_t pipeline() const {
    return static_cast<std::size_t>(data_rank) * tensor.nranks + tensor.rank;
  }
};
// REQUIRES, of all three: mesh_refusal() has none.
MeshShape mesh_shape_of(const TrainConfig& config, int nranks);
Position position_of(const TrainConfig& config, int rank, int nranks);
Position position_at(const TrainConfig& config, int place, int nranks);

// The parameters of all stages, as a rank has its share of them, with the placements of their state
// on the mesh of its data-parallel ranks.
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

// In canonical mode each is one sequence, unless asked otherwise: they must not depend on the
// ranks. `nranks`: those that have other sequences.
MicroBatches micro_batches_of(const TrainConfig& config, int nranks);

// Canonical mode: the leaves of a global batch whose gradients the ranks add up.
class GradientLeaves {
 public:
  GradientLeaves(const MicroBatches& micro_batches, const Position& position)
      : micro_batches_(micro_batches.count()), position_(position) {}

  std::size_t count() const { return micro_batches_ * chunks(); }
  // Of all micro-batches of a rank, or of that of one round.
  Leaves of_rank(std::size_t data_rank) const;
  Leaves of_round(std::size_t data_rank, std::uint64_t round) const;
  // Of the ranks [first, last).
  Leaves of_ranks(std::size_t first, std::size_t last) const;

 private:
  std::size_t chunks() const {
    return position_.sequence.split.ranks > 1 ? position_.sequence.split.chunks() : 1;
  }
  Leaves of(std::size_t data_rank, std::uint64_t first, std::uint64_t count) const;

  const std::uint64_t micro_batches_;
  const Position& position_;
};

// Of a rank. Buckets of parameters where nothing is sharded, else of whole units, and of a unit
// each where parameters are. Both references outlive the plan.
GradientPlan plan_of(const TrainConfig& config, const ParameterTable& table,
                     const FlatLayout& layout, int rank);

// Where a chunk is in the model.
struct ChunkPlace {
  std::size_t first_layer = 0;
  bool embeds = true, heads = true;
};
// A chunk of the model that a rank trains: all of it, where there is no pipeline.
struct ChunkPlan {
  // `units` of the whole model.
  ChunkPlan(const TrainConfig& config, const Position& position, const Range& units);
  ChunkPlan(const ChunkPlan&) = delete;
  ChunkPlan& operator=(const ChunkPlan&) = delete;

  bool embeds() const { return first_unit == 0; }
  bool heads() const { return last; }
  std::size_t first_layer() const { return embeds() ? 0 : first_unit - 1; }
  ChunkPlace place() const { return {first_layer(), embeds(), heads()}; }
  std::size_t layers() const { return table.units() - (embeds() ? 1 : 0) - (heads() ? 1 : 0); }

  const std::size_t first_unit = 0;
  const bool last = true;
  const ParameterTable table;
  const FlatLayout layout;
  const GradientPlan plan;
};
using ChunkPlans = std::vector<std::unique_ptr<const ChunkPlan>>;
// Of a rank's stage, from the first to the last.
ChunkPlans chunks_of(const TrainConfig& config, const Position& position);

// Its operations in a step: those of the stage, for as many micro-batches as the data-parallel rank
// with the most has.
PipelineSchedule schedule_of(const TrainConfig& config, const Position& position);
// Micro-batches of a chunk that a stage holds something of at once, at most.
struct HeldMicroBatches {
  std::size_t slots = 1;  // their activations
  std::size_t later = 0;  // what weights' gradients are computed from later
};
HeldMicroBatches held_of(const std::vector<Operation>& list, std::size_t chunk);
ModelOptions model_options_of(const TrainConfig& config, const Position& position,
                              const ChunkPlace& chunk, const HeldMicroBatches& held);
ModelConfig model_of_chunk(const TrainConfig& config, const Position& position,
                           const ChunkPlan& chunk);

}  // namespace linerate::trainers
