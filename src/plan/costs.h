// What a chunk of the model costs a rank for one micro-batch: compute by kernels.h, and of the
// calls of each axis what compute does not hide.
#pragma once

#include "plan/predict.h"

namespace linerate::plan {

// Groups of ranks, numbered in the order of the mesh: tp fastest, then cp, dp, pp, or as --order
// says.
struct LayoutGroups {
  LayoutGroups(const trainers::TrainConfig& config, int nranks);

  CallGroup tp, copies, cp, data, shard, replica, stages;
};

struct CostOf {
  const Machine& machine;
  const trainers::TrainConfig& config;
  // Of the model: the first chunk embeds, the last one heads.
  std::size_t chunk = 0;
  const ChunkState& state;
};
ChunkCost chunk_cost(const CostOf& of);

// Of one rank, or of no bytes: nothing.
CallTime call_time(const Machine& machine, CallKind call, CallGroup group, double bytes);
// While all ranks compute.
double elapsed_us(const Machine& machine, const CallTime& call);

// Of calls beside compute that takes `beside_us` while all ranks compute, what it waits for: the
// first one at least.
CallTime exposed(const Machine& machine, const CallTime& calls, double beside_us,
                 const CallTime& first);

// Of an activation that goes from a stage to the next one, from the last one to the first.
double message_us(const Machine& machine, const trainers::TrainConfig& config, int stage);

}  // namespace linerate::plan
