// What a chunk of the model costs a rank for one micro-batch: compute by kernels.h, and of the
// calls of each axis what compute does not hide.
#pragma once

#include "plan/predict.h"

namespace linerate::plan {

// Groups of ranks, numbered as trainers/engine/plan.h says: tp fastest, then cp, dp, pp.
struct LayoutGroups {
  LayoutGroups(const trainers::TrainConfig& config, int nranks);

  CallGroup tp, copies, cp, data, shard, replica, next_stage;
};

struct CostOf {
  const Machine& machine;
  const trainers::TrainConfig& config;
  // Of the model: the first chunk embeds, the last one heads.
  std::size_t chunk = 0;
  const ChunkState& state;
};
ChunkCost chunk_cost(const CostOf& of);

// A call's time as work of the rank's processor: it was measured while all ranks made it.
double work_us(const Machine& machine, CallKind call, CallGroup group, double bytes);

// Of `call_us` beside `beside_us` of compute, what compute waits for: `first_us` at least.
double exposed_us(const Machine& machine, double call_us, double beside_us, double first_us);

// Of an activation that goes to the next stage.
double message_us(const Machine& machine, const trainers::TrainConfig& config);

}  // namespace linerate::plan
