// What memory gives to all ranks of a host together, by how much of it they touch.
#pragma once

#include <cstddef>
#include <vector>

namespace linerate {

// Measured while `bytes` of memory were touched again and again, over all ranks.
struct MemoryPoint {
  std::size_t bytes = 0;
  double read_gbps = 0;
  double write_gbps = 0;
  double copy_gbps = 0;  // bytes read plus bytes written

  bool operator==(const MemoryPoint&) const = default;
};

// Bytes over all ranks of one call, and the memory that its calls touch before they come back to
// the same place.
struct Touched {
  double read_bytes = 0;
  double written_bytes = 0;
  double footprint_bytes = 0;
};

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
  // The least time that memory takes: reads and writes together as a copy makes them, and what is
  // left of either at its own bandwidth.
  double least_us(const Touched& touched) const;

 private:
  std::vector<MemoryPoint> points_;
};

// The largest factor by which a bandwidth of the same size differs; 1 where none is in both.
double largest_change(const MemoryCurve& before, const MemoryCurve& after);

}  // namespace linerate
