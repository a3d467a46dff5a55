// NCCL's cost model: latency and bandwidth of every function, algorithm and protocol.
#pragma once

#include "topo/model/constants.h"
#include "topo/model/job.h"

#include <array>

namespace linerate::topo {

// A function done with an algorithm and a protocol.
struct Scheme {
  Function function = Function::all_reduce;
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
};

// GB/s of algorithm bandwidth: bytes of the call over the time they take; 0: not used.
double algorithm_bandwidth_gbps(const JobShape& job, const ModelConstants& constants,
                                const Scheme& scheme);

// busbw over algbw: the collective's own (collectives/).
double bus_factor(Function function, int nranks);

// Steps that a ring takes: 2 (n - 1) for all_reduce, n - 1 where each rank has its own part,
// else n.
int ring_steps(Function function, int nranks);

// Microseconds that a call takes besides moving its bytes.
double latency_us(const JobShape& job, const ModelConstants& constants, const Scheme& scheme);

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
