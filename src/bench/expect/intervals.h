// Ranges of elements, and how many elements lie in them.
#pragma once

#include <algorithm>
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

// Elements that lie in intervals of both.
inline std::size_t covered_by_both(const std::vector<Interval>& some,
                                   const std::vector<Interval>& others) {
  auto all = some;
  all.insert(all.end(), others.begin(), others.end());
  return covered(some) + covered(others) - covered(all);
}

}  // namespace linerate
