// Order statistics of samples: percentiles, spread, and a nonparametric interval of the median; and
// when there are enough of them.
//
// Pure: numbers in, numbers out. reservoir.h keeps a fair choice of more samples than fit.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
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

// What ends the repetition of one case. With neither limit the rule stops at once.
struct StopRule {
  std::optional<double> ci{};     // half width of the median's 95 % interval over the median
  std::optional<double> max_s{};  // seconds of one case

  bool asked() const { return ci || max_s; }
};

// Half width of the median's interval over the median; nothing where no 95 % interval exists
// (fewer than 6 samples) or the median is not positive.
std::optional<double> relative_half_width(const Summary& summary);

// Whether the interval is narrow enough, the time is up, or no limit asks for more. Asked after
// each window; the summary is of all samples of the case so far.
bool stop_now(const StopRule& rule, const Summary& summary, double elapsed_s);

}  // namespace linerate::stats
