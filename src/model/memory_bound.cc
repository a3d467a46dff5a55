// Memory time plus one message, and how much of that a healthy run reaches.
#include "model/memory_bound.h"

#include "base/units.h"

namespace linerate {
namespace {

constexpr double kSharedCores = 0.5;

double trusted(const MemoryLimits& limits) { return limits.shared_cores ? kSharedCores : 1; }

double low_below(const MemoryLimits& limits, bool by_memory, const Footprint& footprint) {
  constexpr double kHealthy = 0.5, kHealthyBetweenCores = 0.15;
  const bool beyond_caches = limits.curve.beyond_caches(footprint, limits.l3_bytes);
  const bool sharp = limits.direct && by_memory && beyond_caches && !footprint.exchanges;
  const double healthy = sharp ? kHealthy * footprint.active_rank_fraction : kHealthyBetweenCores;
  return healthy * trusted(limits);
}

}  // namespace

double min_memory_us(const MemoryLimits& limits, const Footprint& footprint) {
  return trusted(limits) * limits.curve.min_us(footprint);
}

std::optional<Expectation> memory_bound(const ModeledCall& call, const MemoryLimits& limits,
                                        const Footprint& footprint) {
  if (call.bus_factor() <= 0 || limits.curve.empty()) return std::nullopt;
  const double memory_us = min_memory_us(limits, footprint);
  const double time_us = memory_us + (limits.shared_cores ? 0 : limits.latency_us);
  const bool by_memory = memory_us >= limits.latency_us;
  if (time_us <= 0 || (limits.shared_cores && !by_memory)) return std::nullopt;
  const double healthy_us = memory_us + limits.latency_us;
  return Expectation{
      .busbw_gbps = call.algbw_bytes() / time_us / kBytesPerUsOfGbps * call.bus_factor(),
      .bound_by = by_memory ? "memory" : "latency",
      .low_below = low_below(limits, by_memory, footprint) * time_us / healthy_us};
}

}  // namespace linerate
