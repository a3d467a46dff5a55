// The gradients of a rank: where backward writes them, and how the ranks of an axis add theirs up,
// bucket by bucket, while backward goes on. With hybrid sharding each shard's sum then goes through
// an all_reduce with its replicas, on an axis and a stream of their own.
//
// A step has rounds; each rank computes a micro-batch in a round, or takes part in its calls alone
// where it has none left. Buckets are reduced in their order on all ranks: one is begun once it and
// all before it are ready.
//   WholeGradients    stages 0 and 1: one array of all gradients, reduced in the last round
//   ShardedGradients  stages 2 and 3: a bucket's gradients live until they are reduced, each round
// Both do it fast, or canonically: up the tree over leaves (parallel/tree_sum.h), of which each
// round has one, or one of each chunk.
#pragma once

#include "trainers/engine/shards.h"
#include "trainers/memory/arena.h"
#include "trainers/parallel/axis.h"
#include "trainers/parallel/tree_sum.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace linerate::trainers {

// When the reduction of a bucket is begun, and whether anybody waits for it at once.
enum class Overlap : std::uint8_t {
  on,    // when the bucket is ready, beside backward
  off,   // when it is ready; backward waits for it
  fake,  // after backward: looks like overlap in code, and hides nothing
};

// How stage 0 adds up a bucket (sync.h).
enum class Sync : std::uint8_t { all_reduce, reduce_scatter, tree, parameter_server };

// What stage 0 sends of a bucket (hooks.h).
enum class Hook : std::uint8_t { none, fp16, bf16, topk };

struct HookPlan {
  Hook hook = Hook::none;
  double topk_ratio = 0.01;
  double fp16_factor = 1;  // a power of two that gradients are multiplied by in float16
};

struct GradientPlan {
  const ParameterTable& table;
  const FlatLayout& layout;
  std::vector<Bucket> buckets{};
  std::vector<OwnedRange> owned{};  // what this rank steps
  Overlap overlap = Overlap::on;
  bool canonical = false;
  bool pipelined = false;  // several micro-batches are between their forward and backward
  Sync sync = Sync::all_reduce;
  HookPlan hook{};

  bool steps_a_shard() const { return is_sharded(table.placements.optimizer); }
};

// One round of a step, as a rank takes part in it.
struct Round {
  bool first = true, last = true;
  bool active = true;           // this rank computes a micro-batch
  std::size_t index = 0;        // of the round in its step
  std::size_t micro_batch = 0;  // that one of the global batch
  std::size_t operation = 0;    // which is under way, in the stage's list
  // Canonical: leaves of the tree over the global batch. A micro-batch is one; where ranks share
  // sequences, a chunk of it is.
  Leaves own{};               // whose gradients backward writes, into an array each
  std::size_t leaves = 1;     // of all ranks
  LeavesByRank by_rank{};     // those that each rank of the axis hands on when this round reduces
  LeavesByRank by_replica{};  // all of those of each replica's ranks
};

// Used by the rank's thread. All references outlive it.
struct GradientTools {
  Axis& axis;                // ranks that state is cut over; in stage 0 all ranks
  Axis* replicas = nullptr;  // ranks that hold the same shard as this one; null: there are none
  Math& math;
  Stream& compute;
  Arena& arena;
  DataType type = DataType::float32;  // of gradients
};

class Gradients {
 public:
  virtual ~Gradients() = default;

  // The first round of a step begins with zeros.
  void begin_round(const Round& round);
  // Where backward accumulates the gradient of a unit; its memory is there until it is reduced.
  // `leaf`: of the round's own ones.
  virtual Array unit(std::size_t unit, std::size_t leaf = 0) = 0;
  // Backward has written this micro-batch's gradient of a parameter.
  void ready(std::size_t parameter);
  // Begins what was not begun.
  void end_round();
  // After the last round: returns when all reductions are done.
  virtual void finish() = 0;

  // The sum over all ranks of what this rank steps, in the order of owned(). REQUIRES: finish().
  virtual Array of(const OwnedRange& owned) = 0;
  const std::vector<OwnedRange>& owned() const { return plan_.owned; }

 protected:
  Gradients(const GradientPlan& plan, const GradientTools& tools);

  enum class When : std::uint8_t { never, when_ready, after_backward };
  // When a bucket is reduced in this round.
  virtual When reduces() const = 0;
  // Begins the reduction of a bucket; yields where it ends.
  virtual Event launch(std::size_t bucket) = 0;
  virtual void reset() {}  // before the first round of a step
  virtual void begin() {}  // a round
  virtual void end() {}    // likewise, before what is not begun is reduced

  const GradientPlan plan_;
  const GradientTools tools_;
  Round round_;

 private:
  void launch_ready();

  std::vector<std::size_t> bucket_of_;  // by parameter
  std::vector<std::size_t> pending_;    // parameters of each bucket that are not ready
  std::size_t next_ = 0;                // bucket
};

std::unique_ptr<Gradients> make_gradients(const GradientPlan& plan, const GradientTools& tools);

}  // namespace linerate::trainers
