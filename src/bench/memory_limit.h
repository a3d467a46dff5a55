// Lowers -e to what the ranks' memory holds.
#pragma once

#include "bench/config.h"
#include "bench/session.h"
#include "record/record.h"

namespace linerate {

// Where config.max_bytes does not fit into two buffers of a rank, config, and what `info` says of
// it, get the largest size that does. Throws Error (exit 5) where not even config.min_bytes fits.
// Collective over all threads.
void lower_max_bytes(Session& session, RunConfig& config, RunInfo& info);

}  // namespace linerate
