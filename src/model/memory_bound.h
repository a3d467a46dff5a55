// Memory bandwidth of all ranks of a host together, by how much memory they touch; and the bound on
// the busbw of collectives whose ranks share that memory.
#pragma once

#include "model/model.h"
#include "record/record.h"

#include <cstddef>
#include <limits>
#include <optional>
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
  // MemoryPoint::noise of its calls, on average.
  double noise(const Footprint& footprint) const;

 private:
  bool covers(double bytes, std::span<const std::size_t> unprobed) const;
  bool is_memory(double bytes, std::size_t l3_bytes) const;
  double min_us(const Footprint& footprint, double distance_bytes) const;

  std::vector<MemoryPoint> points_;
};

// What a host's memory gives to the ranks of a run.
struct MemoryLimits {
  MemoryCurve curve{};
  double latency_us = 0;  // of one message between ranks, as a rule
  double least_latency_us = std::numeric_limits<double>::infinity();  // of the fastest, if known
  std::size_t l3_bytes = 0;   // of the ranks' last-level caches, as far as they are known to work
  bool direct = true;         // Capabilities::direct
  bool shared_cores = false;  // there are more ranks than cores
};

// Lower bound on the memory's time. Half of what the curve says where ranks share cores: such a
// probe is so short that it shows the scheduler, and runs were up to 1.9 times as fast.
double min_memory_us(const MemoryLimits& limits, const Footprint& footprint);

// busbw at time = min_memory_us + one message. 0.4 of the bound is healthy, times the fraction of
// active ranks; 0.07 within caches, near the latency, and where the library copies on the way;
// where ranks exchange data in place nothing is low (docs/verdicts.md). Nothing where the bus
// factor is 0, no memory was probed, or ranks share cores and the message takes longer than the
// memory: then a barrier, of which the message's time is known, shows the scheduler. Where memory
// binds, the probe's noise is slack, and may lift a result above the bound. A result is above its
// band where no message could be so fast: while others work here most of them are slower.
std::optional<Expectation> memory_bound(const ModeledCall& call, const MemoryLimits& limits,
                                        const Footprint& footprint);

}  // namespace linerate
