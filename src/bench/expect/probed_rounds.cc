// See probed_rounds.h.
#include "bench/expect/probed_rounds.h"

#include "stats/summary.h"

#include <algorithm>
#include <cstddef>

namespace linerate {
namespace {

constexpr std::size_t kLeastPairs = 3;  // of which one node can be told from the others

// 0-1, 2-3, ...: with an odd number the last one is left out.
Round neighbours_from_0(int nnodes) {
  Round round;
  for (int node = 0; node + 1 < nnodes; node += 2) round.emplace_back(node, node + 1);
  return round;
}

// 1-2, 3-4, ..., and the ring's end with its begin; with an odd number the first one is left out.
Round neighbours_from_1(int nnodes) {
  Round round;
  if (nnodes % 2 == 0) round.emplace_back(0, nnodes - 1);
  for (int node = 1; node + 1 < nnodes; node += 2) round.emplace_back(node, node + 1);
  return round;
}

// With an odd number the middle one is left out.
Round halfway_round(int nnodes) {
  Round round;
  const int distance = (nnodes + 1) / 2;
  for (int node = 0; node + distance < nnodes; ++node) round.emplace_back(node, node + distance);
  return round;
}

double median_gbps(std::span<const NodePair> pairs) {
  std::vector<double> all;
  for (const auto& pair : pairs) {
    all.push_back(pair.speed.out_gbps);
    all.push_back(pair.speed.in_gbps);
  }
  return stats::summarize(all).median;
}

// Those of `round` come first; yields them.
std::span<NodePair> brought_to_front(std::vector<NodePair>& pairs, const Round& round) {
  const auto others = std::ranges::partition(pairs, [&](const NodePair& pair) {
    return std::ranges::find(round, Pair{pair.first, pair.second}) != round.end();
  });
  return {pairs.begin(), others.begin()};
}

}  // namespace

std::vector<Round> probed_rounds(int nnodes) {
  if (nnodes < 2) return {};
  if (nnodes == 2) return {neighbours_from_0(nnodes)};
  return {neighbours_from_0(nnodes), neighbours_from_1(nnodes), halfway_round(nnodes)};
}

std::vector<NodePair> rounds_alike(std::vector<NodePair> pairs, int nnodes) {
  if (pairs.empty()) return pairs;
  const double usual_gbps = median_gbps(pairs);
  for (const auto& round : probed_rounds(nnodes)) {
    const auto of_round = brought_to_front(pairs, round);
    if (of_round.size() < kLeastPairs) continue;
    const double median = median_gbps(of_round);
    if (median <= 0) continue;
    for (auto& [first, second, speed] : of_round) {
      speed.out_gbps *= usual_gbps / median;
      speed.in_gbps *= usual_gbps / median;
    }
  }
  return pairs;
}

}  // namespace linerate
