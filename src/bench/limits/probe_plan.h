// Which sizes of memory are probed, in which order, within how much time: pure.
#pragma once

#include "model/memory_bound.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace linerate {

// What is known before anything is measured.
struct ProbeBounds {
  std::size_t buffer_bytes = 0;  // of the buffers of all ranks of a node, which are probed
  std::size_t cache_bytes = 0;   // beyond so much all is memory's own speed; 0: not known
};

// Sizes at which a curve is measured: the footprints themselves, because a cache ends within a
// factor of two, without those close to another one; but no more than the buffers hold, and no more
// than is surely beyond the caches.
std::vector<std::size_t> probe_sizes(std::span<const double> footprints, const ProbeBounds& bounds);

// The order of the sizes, which all threads derive alike from what all of them measured. The
// largest comes first: its memory was touched last of all, and it tells how long the others will
// take. Then they grow from the smallest on.
class ProbePlan {
 public:
  struct Rules {
    double budget_us = 0;          // of all sizes together
    bool stops_when_alike = true;  // sizes between two that are as fast are not asked for
  };
  // `sizes` in ascending order.
  ProbePlan(std::span<const std::size_t> sizes, const Rules& rules)
      : waiting_(sizes.begin(), sizes.end()), rules_(rules) {}

  // The size to measure now; nothing when all is known or the time is up.
  std::optional<std::size_t> next();
  // The size that next() told has been measured.
  void add(const MemoryPoint& point, double took_us);

  MemoryCurve curve() const { return MemoryCurve(points_); }
  // Those for which no time was left, in ascending order.
  const std::vector<std::size_t>& unprobed() const { return unprobed_; }

 private:
  bool fits(std::size_t size) const;

  std::vector<std::size_t> waiting_;
  Rules rules_;
  std::vector<MemoryPoint> points_;  // the first is the largest
  std::vector<std::size_t> unprobed_;
  double largest_us_ = 0, elapsed_us_ = 0;
};

}  // namespace linerate
