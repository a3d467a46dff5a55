// What a trainer is asked to do.
#pragma once

#include "trainers/data/source.h"
#include "trainers/engine/gradients.h"
#include "trainers/engine/parameter_store.h"
#include "trainers/engine/rank_order.h"
#include "trainers/model/model.h"
#include "trainers/optimizer/gradient_scale.h"
#include "trainers/optimizer/schedule.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace linerate::trainers {

// Of masters and moments, where parameters are of `type`: double's own, else float32.
constexpr DataType state_type_of(DataType type) {
  return type == DataType::float64 ? DataType::float64 : DataType::float32;
}

// A rank that sleeps in each step: what the others' waits are tested with.
struct SlowRank {
  int rank = 0;
  double extra_s = 0;
};

struct TrainConfig {
  ModelConfig model{};
  SourceOptions data{};
  std::uint64_t seed = 1;  // of initial values, data order and dropout

  std::int64_t steps = 100;
  std::uint64_t batch = 8;        // sequences of the global batch
  std::uint64_t micro_batch = 0;  // sequences of a micro-batch; 0: a rank's whole share
  DataType type = DataType::float32;
  Recompute recompute = Recompute::none;

  Schedule schedule{};
  double beta1 = 0.9, beta2 = 0.95, weight_decay = 0.1;
  double clip = 1.0;  // 0: no limit

  LossScaleOptions loss_scale{};  // of float16

  std::size_t tp = 1;              // ranks that share each layer's matrices: tensor parallelism
  bool sequence_parallel = false;  // they split the rows of what is not cut
  std::size_t cp = 1;              // ranks that share each sequence: context parallelism
  ContextMethod cp_method = ContextMethod::ring;
  std::size_t pp = 1;  // stages of a pipeline, each of some layers: pipeline parallelism
  std::string pp_schedule = "1f1b";  // of its micro-batches: schedule_kinds()
  std::size_t virtual_stages = 1;    // chunks of layers of each stage
  RankOrder order{};                 // of the ranks on these axes
  Stage stage = Stage::none;
  int shard_size = 0;  // ranks that share state among them; 0: all
  BucketCaps buckets{};
  GatherPlan gather{};
  Overlap overlap = Overlap::on;
  Sync sync = Sync::all_reduce;  // of stage 0
  Hook hook = Hook::none;        // likewise
  double topk_ratio = 0.01;      // of Hook::topk: elements of a bucket that are sent
  std::string offload_folder{};  // the optimizer's state lies in a file there; empty: in memory
  bool deterministic = false;
  SlowRank slow_rank{};
  bool assert_accounting = false;  // a step that sent or holds other bytes than accounted fails
};

}  // namespace linerate::trainers
