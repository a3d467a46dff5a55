// Pairs of ranks for point-to-point measurements: pure.
#pragma once

#include <utility>
#include <vector>

namespace linerate {

using Pair = std::pair<int, int>;  // lower rank first
using Round = std::vector<Pair>;   // disjoint pairs that are measured at once

// Every unordered pair of 0..nranks-1 exactly once. Alone: one pair a round, in ascending order.
// At once: rounds of disjoint pairs by the circle method, nranks - 1 of them (nranks when odd).
std::vector<Round> pair_rounds(int nranks, bool at_once);

// Directed pairs between which messages are timed: all of up to 16 ranks; of more, each rank with
// its neighbours in a ring and with rank 0.
std::vector<Pair> pairs_to_time(int nranks);

}  // namespace linerate
