// Lowers -e to what the ranks' memory holds.
#pragma once

#include "bench/config.h"
#include "bench/session.h"
#include "record/record.h"

#include <cstddef>

namespace linerate {

// Where config.max_bytes does not fit into two buffers of a rank, config, and what `info` says of
// it, get the largest size that does. Yields the bytes that a rank may use for its buffers. Throws
// Error (exit 5) where not even config.min_bytes fits. Collective over all threads.
std::size_t lower_max_bytes(Session& session, RunConfig& config, RunInfo& info);

}  // namespace linerate
