// A whole run on one thread: set up, every case of every cycle, totals.
#pragma once

#include "bench/events.h"
#include "bench/session.h"

namespace linerate {

// Collective over all threads; events fire on rank 0's thread only. `started` is filled by the
// caller with what it knows (program, arguments, launcher, backend); the run adds the rest before
// begin.
RunTotals run_benchmark(RankContext& rank, const BenchConfig& config, const RunInfo& started,
                        const RunEvents& events);

}  // namespace linerate
