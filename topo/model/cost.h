// NCCL's cost model: latency and bandwidth of every function, algorithm and protocol.
#pragma once

#include "topo/model/job.h"

#include <array>
#include <cstddef>

namespace linerate::topo {

// One way of doing a function: time_us = latency_us + bytes / (1000 algbw_gbps).
struct Cost {
  double latency_us = 0;
  double algbw_gbps = 0;  // 0: NCCL does not use this way

  bool usable() const { return algbw_gbps > 0; }
};

// Of one job. src/graph/tuning.cc of NCCL, ncclTopoTuneModel, for the job's version.
class CostTable {
 public:
  explicit CostTable(const JobShape& job);

  const Cost& of(Function function, Algorithm algorithm, Protocol protocol) const {
    return costs_[index_of(function)][index_of(algorithm)][index_of(protocol)];
  }

 private:
  std::array<std::array<std::array<Cost, kProtocols>, kAlgorithms>, kFunctions> costs_{};
};

}  // namespace linerate::topo
