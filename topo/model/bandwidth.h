// The bandwidth half of NCCL's cost model.
#pragma once

#include "topo/model/constants.h"
#include "topo/model/job.h"

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

// Steps that a ring takes: 2 (n - 1) for all_reduce, n - 1 where each rank has its own part, else
// n.
int ring_steps(Function function, int nranks);

}  // namespace linerate::topo
