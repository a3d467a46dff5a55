// Ranges of elements, and how many elements lie in them.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
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

}  // namespace linerate
