// Pairs of ranks for point-to-point measurements: pure.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace linerate {

using Pair = std::pair<int, int>;  // lower rank first
using Round = std::vector<Pair>;   // disjoint pairs that are measured at once

// What a pair reached, each way alone; GB/s.
struct PairRate {
  Pair ranks{};
  double forward_gbps = 0;   // from the lower rank
  double backward_gbps = 0;  // to it
  bool wrong = false;        // data arrived that was not sent
  std::size_t slot = 0;      // of a sequence of measurements, where one is kept

  double gbps() const;  // of the slower way, at least a byte a second
  double log() const;   // natural, of that
  int other(int rank) const { return ranks.first == rank ? ranks.second : ranks.first; }
};

// Every unordered pair of 0..nranks-1 exactly once. Alone: one pair a round, in ascending order.
// At once: rounds of disjoint pairs by the circle method, nranks - 1 of them (nranks when odd).
std::vector<Round> pair_rounds(int nranks, bool at_once);

// One round of those, by the circle method: `turn` from 0 to round_count() - 1.
int round_count(int nranks);
Round circle_round(int nranks, int turn);

// Directed pairs between which messages are timed: all of up to 16 ranks; of more, each rank with
// its neighbours in a ring and with rank 0.
std::vector<Pair> pairs_to_time(int nranks);

}  // namespace linerate
