// Messages between pairs of ranks after the last result, from which rules find what is slow.
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

// Messages between each two ranks in turn, in rounds for about a second: there and back, and one
// way of `bytes` (given on rank 0; up to half a megabyte). 0 bytes: nothing is timed. Empty for
// GPUs. Collective over all threads; the answer is on rank 0.
std::vector<PairTime> time_pairs(Session& session, std::size_t bytes);

}  // namespace linerate
