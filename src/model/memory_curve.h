// Memory bandwidth of all ranks of a host together, by how much memory they touch.
#pragma once

#include "record/record.h"

#include <cstddef>
#include <span>
#include <vector>

namespace linerate {

// Some calls of a window, and the bytes that are touched between two accesses to the same data.
struct Reuse {
  double fraction = 1;  // of all calls
  double distance_bytes = 0;
};

// The memory that one call touches, over all ranks of a node.
struct Footprint {
  double read_bytes = 0;
  double written_bytes = 0;
  double updated_bytes = 0;         // read and overwritten: counted in both of the above
  bool exchanges = false;           // some of it must be read before another input overwrites it
  double active_rank_fraction = 1;  // ranks that read, or that write, whichever are more
  std::vector<Reuse> reuse{};       // whose fractions add up to 1

  // Reuse distances of at least a tenth of the calls: the others hardly count.
  std::vector<double> distances() const;
};

inline constexpr double MemoryPoint::*kMemoryBandwidths[] = {
    &MemoryPoint::read_gbps, &MemoryPoint::write_gbps, &MemoryPoint::copy_gbps,
    &MemoryPoint::update_gbps};

// Up to so many times the memory's bandwidth is memory, and no cache.
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
  // True if at() rests on neighbouring measurements for all `distances`: none of the sizes that
  // were not measured (`unprobed`) lies between them.
  bool covers(std::span<const double> distances, std::span<const std::size_t> unprobed) const;
  // True if most calls reach past a last-level cache of `l3_bytes`: their reuse distance is larger,
  // or is no faster than what is larger. Virtual machines have less of a cache than they report.
  bool beyond_caches(const Footprint& footprint, std::size_t l3_bytes) const;
  // Lower bound on the time: updates at the better of the update and copy bandwidths, other reads
  // and writes in pairs as a copy, the rest at its own bandwidth.
  double min_us(const Footprint& footprint) const;

 private:
  bool covers(double bytes, std::span<const std::size_t> unprobed) const;
  bool is_memory(double bytes, std::size_t l3_bytes) const;
  double min_us(const Footprint& footprint, double distance_bytes) const;

  std::vector<MemoryPoint> points_;
};

}  // namespace linerate
