// See host_bound.h.
#include "bench/expect/host_bound.h"

#include "base/units.h"

namespace linerate {

double sure_part(const HostLimits& limits) {
  constexpr double kCrowded = 0.5;
  return limits.crowded ? kCrowded : 1;
}

double sure_latency_us(const HostLimits& limits) { return limits.crowded ? 0 : limits.latency_us; }

double low_below(const HostLimits& limits, bool by_memory, const Touched& touched) {
  constexpr double kLow = 0.5, kLowBetweenCores = 0.15;
  const bool beyond_caches = limits.memory.beyond_caches(touched, limits.l3_bytes);
  const bool reaches = limits.direct && by_memory && beyond_caches && !touched.exchanges;
  const double low = reaches ? kLow * touched.movers_part : kLowBetweenCores;
  return low * sure_part(limits);
}

std::optional<Expectation> host_bound(const SizedCase& what, const HostLimits& limits,
                                      const Touched& touched) {
  const auto& collective = *what.what.collective;
  const double factor = collective.bus_factor(what.sizing.nranks);
  if (factor <= 0 || limits.memory.empty()) return std::nullopt;
  const double memory_us = sure_part(limits) * limits.memory.least_us(touched);
  const double time_us = memory_us + sure_latency_us(limits);
  const bool by_memory = memory_us >= limits.latency_us;
  if (time_us <= 0 || (limits.crowded && !by_memory)) return std::nullopt;
  const double healthy_us = memory_us + limits.latency_us;
  const double bytes = static_cast<double>(collective.algbw_count(what.sizing)) *
                       static_cast<double>(bytes_of(what.what.type));
  return Expectation{.busbw_gbps = bytes / time_us / kBytesPerUsOfGbps * factor,
                     .bound_by = by_memory ? "memory" : "latency",
                     .low_below = low_below(limits, by_memory, touched) * time_us / healthy_us};
}

}  // namespace linerate
