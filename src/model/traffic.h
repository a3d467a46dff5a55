// The elements that a collective must move: through memory that all ranks share, and between nodes.
// Both are lengths of intervals of the ranks' buffers.
#pragma once

#include "model/model.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace linerate {

using Interval = std::pair<std::size_t, std::size_t>;  // [first, last)

// Sorts the intervals, and joins those that touch or overlap.
inline void merge(std::vector<Interval>& intervals) {
  std::ranges::sort(intervals);
  std::vector<Interval> merged;
  for (const auto& [first, last] : intervals) {
    if (!merged.empty() && first <= merged.back().second)
      merged.back().second = std::max(merged.back().second, last);
    else
      merged.emplace_back(first, last);
  }
  intervals = std::move(merged);
}

// Elements that lie in any of the intervals.
inline std::size_t covered(std::vector<Interval> intervals) {
  merge(intervals);
  std::size_t count = 0;
  for (const auto& [first, last] : intervals) count += last - first;
  return count;
}

inline bool is_merged(const std::vector<Interval>& intervals) {
  return std::ranges::adjacent_find(intervals, [](const Interval& one, const Interval& next) {
           return one.second >= next.first;
         }) == intervals.end();
}

// Elements that lie in intervals of both. REQUIRES: both are merged.
inline std::size_t covered_by_both(const std::vector<Interval>& some,
                                   const std::vector<Interval>& others) {
  assert(is_merged(some) && is_merged(others));
  std::size_t count = 0;
  for (auto one = some.begin(), other = others.begin();
       one != some.end() && other != others.end();) {
    const auto first = std::max(one->first, other->first);
    const auto last = std::min(one->second, other->second);
    if (first < last) count += last - first;
    ++(one->second < other->second ? one : other);
  }
  return count;
}

// Elements.
struct MemoryTraffic {
  std::size_t read = 0;     // each input that is needed, once
  std::size_t written = 0;  // each element of a result that is not there yet, once
  // In place only, elements that are both read and overwritten: `updated` by anything, `exchanged`
  // by another rank's input, so that they must be read first.
  std::size_t updated = 0, exchanged = 0;

  MemoryTraffic& operator+=(const MemoryTraffic& other) {
    read += other.read;
    written += other.written;
    updated += other.updated;
    exchanged += other.exchanged;
    return *this;
  }

  bool operator==(const MemoryTraffic&) const = default;
};

// Lower bound for each rank's own buffers. In place, a rank's own part may be where it belongs
// already. Takes O(nranks^2) where each rank has a part for each other.
std::vector<MemoryTraffic> memory_traffic(const ModeledCall& call);

// Lower bounds, in elements.
struct InterNodeTraffic {
  std::vector<std::size_t> sent{}, received{};  // by node
  std::size_t total = 0;                        // over all nodes; at least the sum of either
  bool every_rank_waits = false;                // each rank needs something from another node
  // Reductions, or data that several ranks need: rings and trees pass it on from rank to rank.
  bool relayed = false;

  bool operator==(const InterNodeTraffic&) const = default;
};

// `nodes[r]` is the node of rank r, counted from 0.
//  - Data that several ranks of a node need enters the node once.
//  - Data that several nodes need leaves its own node once: the others may pass it on.
//  - Of a reduction, each node sends its share once, combined, and each node that needs the result
//    receives it once. In total: one transfer for each node but the one that completes the
//    reduction, and one more for each other node that needs it.
// All zero and false on one node.
InterNodeTraffic inter_node_traffic(const ModeledCall& call, std::span<const int> nodes);

}  // namespace linerate
