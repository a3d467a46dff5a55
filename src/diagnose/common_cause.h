// Which rank, node or link is slow, from what messages between pairs of ranks took.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace linerate {

using RankPair = std::pair<int, int>;  // source and destination

struct PairSlowdown {
  RankPair pair{};
  bool one_way = false;  // else either direction may be what was slow
  double slowdown = 1;   // its time over that of a healthy pair
};

// What slow pairs have in common.
struct CommonCause {
  std::string subject{};  // "rank 3", "the link from node 2 to node 3", …
  double reached = 1;     // median over its pairs: the fraction of a healthy pair's rate
  std::size_t pairs = 0;  // that it slows, each direction one
};

// A pair that takes so many times as long as it should is slow; healthy ones are within noise.
inline constexpr double kSlowPair = 1.2;

// At most three causes that explain most of the slow pairs, each as narrow as the tests allow: a
// rank if all its pairs are slow, a link if only its own are. `nodes[r]` is the node of rank r.
// Tests of both directions count where those of one direction find nothing.
std::vector<CommonCause> common_causes(std::span<const PairSlowdown> tests,
                                       std::span<const int> nodes, double slow_above = kSlowPair);

// "what node 2 sends to others", "what node 2 receives from others", or both. REQUIRES: either.
std::string node_direction(int node, bool sends, bool receives);

}  // namespace linerate
