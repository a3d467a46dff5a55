#include "stats/reservoir.h"

#include "base/splitmix.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace linerate::stats {

Reservoir::Reservoir(std::size_t capacity, std::uint64_t seed)
    : storage_(capacity), seed_(seed), state_(seed) {
  assert(capacity > 0);
}

void Reservoir::clear() {
  state_ = seed_;
  count_ = 0;
  min_ = max_ = mean_ = squares_ = 0;
}

// Vitter's algorithm R for the choice (ACM TOMS 11, 1985), Welford's recurrence for the moments.
void Reservoir::add(double sample) {
  const std::uint64_t before = count_++;
  min_ = before == 0 ? sample : std::min(min_, sample);
  max_ = before == 0 ? sample : std::max(max_, sample);
  const double deviation = sample - mean_;
  mean_ += deviation / static_cast<double>(count_);
  squares_ += deviation * (sample - mean_);
  const std::uint64_t place = before < storage_.size() ? before : random_below(count_);
  if (place < storage_.size()) storage_[place] = sample;
}

std::span<const double> Reservoir::kept() const {
  return std::span(storage_).first(std::min<std::uint64_t>(count_, storage_.size()));
}

Summary Reservoir::summary() const {
  assert(count_ > 0);
  std::vector<double> samples(kept().begin(), kept().end());
  Summary summary = summarize(samples);
  summary.n = count_;
  summary.min = min_;
  summary.max = max_;
  summary.mean = std::clamp(mean_, min_, max_);
  summary.stdev = std::sqrt(squares_ / static_cast<double>(count_));
  summary.cv = coefficient_of_variation(summary.stdev, summary.mean);
  return summary;
}

// Scaled to [0, bound) by the high half of the product. The bias is below bound / 2^64.
std::uint64_t Reservoir::random_below(std::uint64_t bound) {
  const std::uint64_t bits = splitmix64(state_);
  state_ += kSplitMixStep;
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * bound) >> 64);
}

}  // namespace linerate::stats
