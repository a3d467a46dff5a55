// Which rank, node or link is slow, by what messages between pairs of ranks took: pure.
#pragma once

#include "bench/pairs.h"
#include "record/record.h"

#include <span>
#include <string>
#include <vector>

namespace linerate {

// What one test between two ranks said.
struct PairSlowness {
  Pair pair{};           // source and destination
  bool one_way = false;  // else what was slow may be either direction
  double slowdown = 1;   // its time over that of a healthy pair
};

// A pair that takes so many times as long as it should is slow; healthy ones are within noise.
inline constexpr double kSlowPair = 1.2;

// A few ranks, nodes, links and directions whose slowness explains most of the pairs that are slow,
// each named as closely as the tests tell: a rank is meant where all its pairs are slow, a link
// where only its own are. `nodes[r]` is the node of rank r. Tests of both directions count where
// those of one find nothing.
std::vector<Suspect> suspects_of(std::span<const PairSlowness> tests, std::span<const int> nodes,
                                 double slow_above = kSlowPair);

// "what node 2 sends to others", "what node 2 receives from others", or both. REQUIRES: either.
std::string way_of_node(int node, bool sends, bool receives);

// The node of each rank.
std::vector<int> nodes_of(std::span<const RankInfo> ranks);

}  // namespace linerate
