// What memory gives to all ranks of a host together, by how much of it they touch.
#pragma once

#include "record/record.h"

#include <cstddef>
#include <span>
#include <vector>

namespace linerate {

// Bytes over all ranks of one call, and the memory that its calls touch before they come back to
// the same place.
struct Touched {
  double read_bytes = 0;
  double written_bytes = 0;
  double footprint_bytes = 0;
  bool in_place = false;  // results may overwrite what was read
};

inline constexpr double MemoryPoint::*kMemoryBandwidths[] = {
    &MemoryPoint::read_gbps, &MemoryPoint::write_gbps, &MemoryPoint::copy_gbps,
    &MemoryPoint::update_gbps};

// What is no more than so many times as fast as memory is memory and no cache.
inline constexpr double kLikeMemory = 1.3;

class MemoryCurve {
 public:
  MemoryCurve() = default;
  // `points` in any order; they are kept by size.
  explicit MemoryCurve(std::vector<MemoryPoint> points);

  bool empty() const { return points_.empty(); }
  const std::vector<MemoryPoint>& points() const { return points_; }
  // Between two points on the logarithm of the size; beyond the ends as at them.
  // REQUIRES: !empty().
  MemoryPoint at(double bytes) const;
  // Whether at(bytes) rests on what was measured beside it, and not on points with one of
  // `left_out` between them.
  bool knows(double bytes, std::span<const std::size_t> left_out) const;
  // Whether `bytes` of memory are not served from a last-level cache of `l3_bytes`: they are more,
  // or they are no faster than what is more. Virtual machines have less of a cache than they see.
  bool beyond_caches(double bytes, std::size_t l3_bytes) const;
  // The least time that memory takes: reads and writes together as a copy makes them, and what is
  // left of either at its own bandwidth.
  double least_us(const Touched& touched) const;

 private:
  std::vector<MemoryPoint> points_;
};

}  // namespace linerate
