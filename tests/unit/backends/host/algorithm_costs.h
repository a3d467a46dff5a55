// What each algorithm costs in closed form: what its schedule is counted against, and what a call
// takes on idle links of an emulated network.
#pragma once

#include "backends/host/algorithms/algorithm.h"

namespace linerate::host {

// The alpha-beta cost of a call on its critical path (Thakur, Rabenseifner, Gropp 2005, section 2):
// time = rounds * latency + bytes / bandwidth. The wait that ends every call is left out.
struct Cost {
  double rounds = 0;  // waits that follow one another, the first one for all ranks to enter
  double bytes = 0;   // that the busiest rank reads from and writes to other ranks' buffers
};

// REQUIRES: algorithm.defined(problem), and it has a schedule; the payload is large enough that
// pieces flow without a gap.
Cost cost_of(const Algorithm& algorithm, const Problem& problem);

}  // namespace linerate::host
