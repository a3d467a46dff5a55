// See host_bound.h.
#include "bench/expect/host_bound.h"

#include "bench/expect/moved.h"

#include <algorithm>

namespace linerate {

Touched touched_by(const HostCase& what, Sliding sliding, std::size_t buffer_bytes) {
  const auto& collective = *what.what.collective;
  const auto moved = moved_of(collective, what.sizing, what.what.root, what.placement);
  const auto element = static_cast<double>(bytes_of(what.what.type));
  Touched touched{.read_bytes = static_cast<double>(moved.read) * element,
                  .written_bytes = static_cast<double>(moved.written) * element};
  const auto stride = row_bytes(collective, what.sizing, what.what.type);
  const bool slides = sliding == Sliding::slide && stride > 0;
  const auto places = slides ? std::max<std::size_t>(1, buffer_bytes / stride) : 1;
  touched.footprint_bytes =
      (touched.read_bytes + touched.written_bytes) * static_cast<double>(places);
  return touched;
}

std::optional<Expectation> host_bound(const HostCase& what, const HostLimits& limits,
                                      const Touched& touched) {
  constexpr double kBytesPerUsOfGbps = 1e3;
  const auto& collective = *what.what.collective;
  const double factor = collective.bus_factor(what.sizing.nranks);
  if (factor <= 0 || limits.memory.empty()) return std::nullopt;
  const double memory_us = limits.memory.least_us(touched);
  const double time_us = memory_us + limits.latency_us;
  if (time_us <= 0) return std::nullopt;
  const double bytes = static_cast<double>(collective.algbw_count(what.sizing)) *
                       static_cast<double>(bytes_of(what.what.type));
  return Expectation{.busbw_gbps = bytes / time_us / kBytesPerUsOfGbps * factor,
                     .bound_by = memory_us >= limits.latency_us ? "memory bandwidth" : "latency"};
}

}  // namespace linerate
