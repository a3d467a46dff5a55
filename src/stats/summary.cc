#include "stats/summary.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace linerate::stats {
namespace {

constexpr double kMiddle = 0.5;
constexpr double kTail = 0.025;               // on each side of a 95 % interval
constexpr double kNormalQuantile = 1.959964;  // of 1 - kTail
// 2^-n, where the exact sum starts, is still a normal double here.
constexpr std::size_t kMaxExact = 1000;
// 2 * 2^-5 > 5 %: five samples cannot enclose the median with 95 %.
constexpr std::size_t kFewestForInterval = 6;

// The largest k with P(Binomial(n, 1/2) < k) <= kTail, exactly; 0 when there is none.
std::size_t exact_rank(std::size_t n) {
  double probability = std::ldexp(1.0, -static_cast<int>(n));  // of exactly k
  double below = 0;                                            // P(X < k)
  std::size_t k = 0;
  while (below + probability <= kTail) {
    below += probability;
    probability *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    ++k;
  }
  return k;
}

// The same by the normal approximation with continuity correction.
std::size_t approximate_rank(std::size_t n) {
  const double mean = static_cast<double>(n) / 2;
  const double half_width = kNormalQuantile * std::sqrt(static_cast<double>(n)) / 2;
  return static_cast<std::size_t>(std::floor(mean + 0.5 - half_width));
}

// Order statistics k and n + 1 - k enclose the median of any continuous distribution with
// probability 1 - 2 P(Binomial(n, 1/2) < k) (Conover, Practical Nonparametric Statistics, 3.2).
std::pair<double, double> median_interval(std::span<const double> sorted) {
  const std::size_t n = sorted.size();
  const std::size_t k = n <= kMaxExact ? exact_rank(n) : approximate_rank(n);
  if (k == 0) return {std::nan(""), std::nan("")};
  return {sorted[k - 1], sorted[n - k]};
}

double mean_of(std::span<const double> samples) {
  double mean = 0;
  double n = 0;
  for (const double sample : samples) mean += (sample - mean) / ++n;
  return mean;
}

double population_stdev(std::span<const double> samples, double mean) {
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return std::sqrt(squares / static_cast<double>(samples.size()));
}

}  // namespace

double coefficient_of_variation(double stdev, double mean) { return mean == 0 ? 0 : stdev / mean; }

double percentile(std::span<const double> sorted, double q) {
  assert(!sorted.empty());
  // q * n is rounded up; a product that misses a whole number by rounding alone must not count.
  const double n = static_cast<double>(sorted.size());
  const double rank = std::clamp(std::ceil(q * n - n * 1e-12), 1.0, n);
  return sorted[static_cast<std::size_t>(rank) - 1];
}

double quantile(std::span<const double> sorted, double q) {
  assert(!sorted.empty());
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile(values, kMiddle);
}

Summary summarize(std::span<double> samples) {
  assert(!samples.empty());
  std::ranges::sort(samples);
  const double mean = std::clamp(mean_of(samples), samples.front(), samples.back());
  const double stdev = population_stdev(samples, mean);
  const auto [ci95_low, ci95_high] = median_interval(samples);
  return {.n = samples.size(),
          .min = samples.front(),
          .median = quantile(samples, kMiddle),
          .mean = mean,
          .p95 = percentile(samples, 0.95),
          .p99 = percentile(samples, 0.99),
          .max = samples.back(),
          .stdev = stdev,
          .cv = coefficient_of_variation(stdev, mean),
          .ci95_low = ci95_low,
          .ci95_high = ci95_high};
}

std::optional<double> relative_half_width(const Summary& summary) {
  if (summary.n < kFewestForInterval || !(summary.median > 0)) return std::nullopt;
  return (summary.ci95_high - summary.ci95_low) / 2 / summary.median;
}

bool stop_now(const StopRule& rule, const Summary& summary, double elapsed_s) {
  if (!rule.asked() || (rule.max_s && elapsed_s >= *rule.max_s)) return true;
  const auto width = relative_half_width(summary);
  return rule.ci && width && *width <= *rule.ci;
}

}  // namespace linerate::stats
