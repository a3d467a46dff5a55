// The latency half of NCCL's cost model.
#pragma once

#include "topo/model/bandwidth.h"

namespace linerate::topo {

// Microseconds that a call takes besides moving its bytes.
double latency_us(const JobShape& job, const ModelConstants& constants, const Scheme& scheme);

}  // namespace linerate::topo
