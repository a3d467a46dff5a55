// Where all_to_all_v's block sizes come from: NCCL_TESTS_ALLTOALLV_*.
#pragma once

#include "bench/config.h"
#include "collectives/traffic.h"

#include <memory>

namespace linerate {

// Null for collectives that need none. Throws Error (exit 2) when the matrix file cannot be read,
// is malformed, or when -b and -e do not fit it: with a matrix they must be equal, and at least the
// busiest rank's bytes.
std::unique_ptr<TrafficMatrix> traffic_of(const RunConfig& config, int nranks);

}  // namespace linerate
