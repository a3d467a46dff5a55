// Bounded storage of samples: every one up to a capacity, beyond that a uniform random choice.
#pragma once

#include "stats/summary.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linerate::stats {

// Storage is reserved and touched by the constructor: add() never allocates and faults no page, so
// it may stand beside a timed region. One thread at a time.
//
// Which samples survive depends on capacity, seed and count alone, not on the values: the
// reservoirs of several ranks that add in step keep the samples of the same iterations at the same
// places.
class Reservoir {
 public:
  static constexpr std::size_t kDefaultCapacity = 1'000'000;
  static constexpr std::uint64_t kDefaultSeed = 0x6c696e6572617465;

  // REQUIRES: capacity > 0.
  explicit Reservoir(std::size_t capacity = kDefaultCapacity, std::uint64_t seed = kDefaultSeed);

  void add(double sample);
  // Empty again, and with the random sequence of the start; storage is kept.
  void clear();

  // Samples ever added, also those no longer kept.
  std::uint64_t count() const { return count_; }
  // The kept samples; up to the capacity in the order of add(). Valid until the next add().
  std::span<const double> kept() const;

  // Quantiles, spread and interval of the kept samples; n, min, max, mean and cv of all samples.
  // Allocates. REQUIRES: count() > 0.
  Summary summary() const;

 private:
  std::uint64_t random_below(std::uint64_t bound);

  std::vector<double> storage_;
  std::uint64_t seed_;
  std::uint64_t state_;
  std::uint64_t count_ = 0;
  double min_ = 0, max_ = 0, mean_ = 0;
  double squares_ = 0;  // sum of squared deviations from mean_
};

}  // namespace linerate::stats
