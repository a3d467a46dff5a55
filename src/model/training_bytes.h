// Bytes of data-parallel training, in whole numbers: what each rank sends in an optimizer step, and
// what it holds, for every stage of ZeRO (Rajbhandari et al. 2020) and for hybrid sharding.
//
// State is cut into parts (buckets, or units of a model). Each part is cut evenly over `shards`
// ranks, padded at its end. What a rank sends is what no algorithm sends less of: of a
// reduce-scatter or an all-gather all shards but one, of an all-reduce both.
#pragma once

#include "model/rank_tree.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace linerate {

// Elements of each rank's shard, and of all shards together.
constexpr std::uint64_t shard_count(std::uint64_t count, std::uint64_t nranks) {
  return (count + nranks - 1) / nranks;
}
constexpr std::uint64_t padded_count(std::uint64_t count, std::uint64_t nranks) {
  return shard_count(count, nranks) * nranks;
}

// Elements that each rank sends.
constexpr std::uint64_t reduce_scatter_sends(std::uint64_t count, std::uint64_t nranks) {
  return shard_count(count, nranks) * (nranks - 1);
}
constexpr std::uint64_t all_gather_sends(std::uint64_t count, std::uint64_t nranks) {
  return shard_count(count, nranks) * (nranks - 1);
}
constexpr std::uint64_t all_reduce_sends(std::uint64_t count, std::uint64_t nranks) {
  return reduce_scatter_sends(count, nranks) + all_gather_sends(count, nranks);
}

// Top-k compression of `count` elements of `element` bytes: how many are sent, and the bytes of a
// rank's message, of indices of 4 bytes and values, each padded to 8 bytes.
std::uint64_t top_k_count(std::uint64_t count, double ratio);
constexpr std::uint64_t top_k_index_bytes(std::uint64_t kept) { return (4 * kept + 7) / 8 * 8; }
constexpr std::uint64_t top_k_bytes(std::uint64_t kept, std::uint64_t element) {
  return top_k_index_bytes(kept) + (element * kept + 7) / 8 * 8;
}

// A slice of the parameters that is communicated at once: a bucket, or a unit of the model.
struct TrainingPart {
  std::uint64_t count = 0;
  // Stage 3, per micro-batch: 2, before forward and before backward; 1 where it stays in between.
  std::uint64_t gathers = 2;
};

// Bytes of an element.
struct TrainingTypes {
  std::uint64_t parameter = 4;  // held, and gathered
  std::uint64_t gradient = 4;   // held, and reduced
  std::uint64_t master = 0;     // 0: the parameters themselves are stepped
  std::uint64_t moments = 8;    // both of Adam's
};

// Of what a rank holds its shard only.
struct ShardedState {
  bool optimizer = false, gradients = false, parameters = false;

  bool operator==(const ShardedState&) const = default;
};
// ZeRO's stages: 1 shards the optimizer's state, 2 gradients too, 3 parameters too.
constexpr ShardedState zero_stage(int stage) { return {stage >= 1, stage >= 2, stage >= 3}; }

struct TrainingLayout {
  std::span<const TrainingPart> parts{};  // in the order of forward
  TrainingTypes types{};
  ShardedState sharded{};           // as one of the stages has it
  std::uint64_t shards = 1;         // ranks that state is cut over; all ranks where none is
  std::uint64_t replicas = 1;       // groups of `shards` ranks: hybrid sharding
  std::uint64_t micro_batches = 1;  // of a step
  bool offloads_optimizer = false;  // to a file
  // Nothing is sharded: where the rank stands in the tree that sums go up and results down; null:
  // there is none.
  const TreePlace* tree = nullptr;
  // Gradients of a part that a rank sends at each reduction: 1, or in canonical mode the subtrees
  // of the fixed tree of sums that its own leaves make up, and those of its group of shards,
  // or of the ranks below it in the tree.
  std::uint64_t partial_sums = 1, replica_partial_sums = 1;
};

// Sent by each rank in a step, besides scalars. What is added up travels twice: to the rank that
// adds it (sums), and from there to the others (results).
struct TrainingWireBytes {
  std::uint64_t gradient_sums = 0;     // between shards
  std::uint64_t gradient_results = 0;  // where nothing is sharded
  std::uint64_t parameters = 0;        // between shards
  std::uint64_t replica_sums = 0;      // between replicas: once a step
  std::uint64_t replica_results = 0;

  std::uint64_t gradients() const {
    return gradient_sums + gradient_results + replica_sums + replica_results;
  }
  std::uint64_t total() const { return gradients() + parameters; }
  bool operator==(const TrainingWireBytes&) const = default;
};
// Sharded gradients are reduced after each micro-batch, whole ones once a step.
TrainingWireBytes training_wire_bytes(const TrainingLayout& layout);

// Held by each rank all the time. Whole arrays are padded where shards are parts of them.
struct TrainingStateBytes {
  std::uint64_t parameters = 0, gradients = 0, optimizer = 0;
  std::uint64_t offloaded = 0;  // of the optimizer, in a file

  std::uint64_t total() const { return parameters + gradients + optimizer; }  // in memory
  bool operator==(const TrainingStateBytes&) const = default;
};
TrainingStateBytes training_state_bytes(const TrainingLayout& layout);

// How far parts are gathered before their use: `ahead` of them, as long as no more than `most`
// elements are gathered at once. 0: no limit.
struct GatherWindow {
  std::size_t ahead = 0;
  std::uint64_t most = 0;
};

// Stage 3: most bytes of whole parameters that a rank holds at once in a micro-batch, forward and
// backward. Each part is freed after its use, but for those that stay from forward to backward
// (`gathers` is 1).
// REQUIRES: with a limit, only the first and the last part stay.
std::uint64_t training_live_bytes(const TrainingLayout& layout, const GatherWindow& window);

}  // namespace linerate
