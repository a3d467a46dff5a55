// What memory gives to all ranks of a host together, by how much of it they touch.
#pragma once

#include "record/record.h"

#include <cstddef>
#include <span>
#include <vector>

namespace linerate {

// Calls that come to memory after so much of it was touched since it was touched itself.
struct Visits {
  double part = 1;  // of all calls
  double footprint_bytes = 0;
};

// Bytes over all ranks of one call, and how its calls come to the memory.
struct Touched {
  double read_bytes = 0;
  double written_bytes = 0;
  double updated_bytes = 0;      // read and written over: counted in both
  bool exchanges = false;        // some of it must be read before another input comes there
  double movers_part = 1;        // of the ranks: those that read, or write, whichever are more
  std::vector<Visits> visits{};  // whose parts are 1 together

  // Of those visits that are a tenth of all or more: the others hardly count.
  std::vector<double> footprints() const;
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
  // Whether at(footprint) rests on what was measured beside it, and not on points with one of
  // `left_out` between them, for all footprints. False where nothing was measured.
  bool knows(std::span<const double> footprints, std::span<const std::size_t> left_out) const;
  // Whether most calls come to memory that no last-level cache of `l3_bytes` serves: footprints are
  // more, or no faster than what is more. Virtual machines have less of a cache than they see.
  bool beyond_caches(const Touched& touched, std::size_t l3_bytes) const;
  // The least time that memory takes: what is updated as an update or a copy takes it, other reads
  // and writes together as a copy does, and what is left of either at its own bandwidth.
  double least_us(const Touched& touched) const;

 private:
  bool knows(double bytes, std::span<const std::size_t> left_out) const;
  bool is_memory(double bytes, std::size_t l3_bytes) const;
  double least_us(const Touched& touched, double footprint_bytes) const;

  std::vector<MemoryPoint> points_;
};

}  // namespace linerate
