// Which way a handful of paired runs points, by resampling the pairs (Efron, Ann. Statist. 7,
// 1979). Of few pairs the interval is too narrow to prove anything: it serves to drop what is not
// worth more runs. What is kept is judged by compare.h.
#pragma once

#include <cstdint>
#include <span>

namespace linerate::stats {

struct Interval {
  double low = 0, high = 0;
};

// The 95 % percentile interval of the median of `differences`, one of each pair. The same numbers
// and seed yield the same interval. REQUIRES: not empty.
Interval paired_bootstrap(std::span<const double> differences, std::uint64_t seed = 1);

}  // namespace linerate::stats
