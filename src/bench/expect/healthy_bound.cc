// See healthy_bound.h.
#include "bench/expect/healthy_bound.h"

namespace linerate {

std::optional<Expectation> healthy_bound(const Record& record, double healthy_us) {
  // A healthy run loses nothing but what the fake's noise costs: with noise=5% the slowest of 64
  // ranks takes 1.12 times as long.
  constexpr double kLow = 0.85;
  if (healthy_us <= 0 || record.busbw_gbps <= 0) return std::nullopt;
  return Expectation{.busbw_gbps = record.busbw_gbps * record.window.time_us / healthy_us,
                     .bound_by = "healthy network",
                     .low_below = kLow};
}

}  // namespace linerate
