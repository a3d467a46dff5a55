// Names the rank or link that made results low, by messages between pairs of ranks.
#pragma once

#include "bench/pairs.h"
#include "bench/session.h"
#include "record/record.h"

#include <cstddef>
#include <vector>

namespace linerate {

// Directed pairs that are asked: all of up to 16 ranks; of more, each rank with its neighbours in a
// ring and with rank 0.
std::vector<Pair> pairs_to_ask(int nranks);

// `low_bytes`: on rank 0, the size of the largest result that was low; 0: none was, and nothing is
// asked. Between each two ranks in turn: messages there and back, and of that size (up to half a
// megabyte) one way, in rounds for about a second. A pair is slow by what it lost where the backend
// tells (see Communicator::modeled_time); else ranks and nodes are named whose pairs all take twice
// as long as the fastest quarter of their like, within or between nodes. Empty for GPUs. Collective
// over all threads; the answer is on rank 0.
std::vector<Suspect> search_slow_pairs(Session& session, std::size_t low_bytes);

}  // namespace linerate
