// Order statistics of samples: percentiles, spread, and a nonparametric interval of the median.
//
// Pure: numbers in, numbers out. reservoir.h keeps a fair choice of more samples than fit,
// stopping.h says when there are enough.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace linerate::stats {

// All in the unit of the samples, but cv (stdev / mean, a fraction) and n.
struct Summary {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::size_t n = 0;
  double min = 0, median = 0, mean = 0, p95 = 0, p99 = 0, max = 0;
  double stdev = 0;  // population
  double cv = 0;
  // 95 % interval of the median from the binomial distribution of order statistics (no assumption
  // on the distribution). Below 6 samples no such interval exists: NaN then.
  double ci95_low = kNone, ci95_high = kNone;
};

// Sorts `samples`. REQUIRES: not empty.
// Percentiles are nearest rank; the median of an even number is the mean of the middle two.
Summary summarize(std::span<double> samples);

// The smallest sample at or above fraction `q` of `sorted` (nearest rank). REQUIRES: not empty.
double percentile(std::span<const double> sorted, double q);

// The value below which the fraction `q` of `sorted` lies, interpolated between neighbours (Hyndman
// & Fan, Am. Stat. 50, 1996, type 7). REQUIRES: not empty.
double quantile(std::span<const double> sorted, double q);

// The middle value; of an even number the mean of the middle two. REQUIRES: not empty.
double median(std::vector<double> values);

// stdev / mean; 0 where the mean is 0.
double coefficient_of_variation(double stdev, double mean);

}  // namespace linerate::stats
