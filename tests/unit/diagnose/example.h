// Results with a bound, for tests of rules.
#pragma once

#include "record/record.h"
#include "record/verdict.h"

#include <string>
#include <vector>

namespace linerate {

// Reaches `share` of 40 GB/s, of which a healthy run reaches half.
inline Record result_of(double share, const std::string& bound_by = "memory") {
  Record record{.what = {.collective = "all_reduce", .bytes = 1024}, .busbw_gbps = 40 * share};
  record.window.time_us = 100;
  record.expected = band_below(40, 0.5, bound_by);
  return record;
}

inline std::vector<NetworkPoint> network_of(const std::vector<double>& send_gbps) {
  std::vector<NetworkPoint> points;
  for (const double gbps : send_gbps)
    points.push_back({.node = static_cast<int>(points.size()),
                      .send_gbps = gbps,
                      .receive_gbps = 10,
                      .round_trip_us = 20});
  return points;
}

}  // namespace linerate
