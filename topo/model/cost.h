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

// Whether NCCL's variables, the version and, of LL128, the paths let a job use the protocol and the
// algorithm of a scheme.
bool uses_protocol(const JobShape& job, const Scheme& scheme);
bool uses_algorithm(const JobShape& job, const Scheme& scheme);

// Of one job. src/graph/tuning.cc of NCCL, ncclTopoTuneModel, for the job's version.
class CostTable {
 public:
  explicit CostTable(const JobShape& job);

  const Cost& of(const Scheme& scheme) const {
    return costs_[index_of(scheme.function)][index_of(scheme.algorithm)][index_of(scheme.protocol)];
  }

  // What calls that have no other way are done with, up to 2.23: rings, which may be off. Up to
  // 2.21 with protocols that are off, too. Of other algorithms and versions: not usable.
  const Cost& last_resort(const Scheme& scheme) const {
    return scheme.algorithm == Algorithm::ring
               ? rings_[index_of(scheme.function)][index_of(scheme.protocol)]
               : kNoCost;
  }

 private:
  static constexpr Cost kNoCost{};
  using Costs = std::array<std::array<Cost, kProtocols>, kAlgorithms>;

  std::array<Costs, kFunctions> costs_{};
  std::array<std::array<Cost, kProtocols>, kFunctions> rings_{};
};

}  // namespace linerate::topo
