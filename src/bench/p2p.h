// Point to point: latency and bandwidth between every pair of ranks.
#pragma once

#include "bench/events.h"
#include "bench/session.h"

namespace linerate {

// For each pair: half of a round trip of min_bytes (latency); max_bytes one way, in each direction;
// and max_bytes both ways in the same interval, whose bandwidth is the sum of both directions.
// Ranks of no pair sleep. With config.at_once disjoint pairs run at the same time. Each result is
// one record with `pair` = (source, destination) and the collective p2p_latency, p2p_unidirectional
// or p2p_bidirectional, with a bound where the pair shares a host's memory or the backend knows
// one. Collective over all threads; events fire on rank 0's thread.
RunTotals run_p2p(RankContext& rank, const BenchConfig& config, const RunInfo& started,
                  const RunEvents& events);

}  // namespace linerate
