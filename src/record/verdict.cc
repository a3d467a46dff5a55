// See verdict.h.
#include "record/verdict.h"

#include <algorithm>
#include <cassert>

namespace linerate {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::low:
      return "low";
    case Verdict::above:
      return "above the bound";
  }
  __builtin_unreachable();
}

double efficiency(const Record& record) {
  assert(record.expected);
  const double expected = record.expected->busbw_gbps;
  return expected > 0 ? record.busbw_gbps / expected : 0;
}

namespace {

// By which factor two bandwidths differ.
double factor_between(double one, double other) { return std::max(one / other, other / one); }

}  // namespace

double memory_change(std::span<const MemoryPoint> before, std::span<const MemoryPoint> after) {
  double most = 1;
  for (const auto& was : before)
    for (const auto& is : after)
      if (was.bytes == is.bytes && was.nranks == is.nranks)
        for (const auto gbps : {&MemoryPoint::read_gbps, &MemoryPoint::write_gbps,
                                &MemoryPoint::copy_gbps, &MemoryPoint::update_gbps})
          most = std::max(most, factor_between(was.*gbps, is.*gbps));
  return most;
}

double network_change(std::span<const NetworkPoint> before, std::span<const NetworkPoint> after) {
  constexpr double kOneNode = 2;
  double most = 1;
  for (const auto gbps : {&NetworkPoint::send_gbps, &NetworkPoint::receive_gbps}) {
    double sum_before = 0, sum_after = 0;
    for (const auto& was : before)
      for (const auto& is : after) {
        if (was.node != is.node) continue;
        sum_before += was.*gbps;
        sum_after += is.*gbps;
        const double factor = factor_between(was.*gbps, is.*gbps);
        if (factor > kOneNode) most = std::max(most, factor);
      }
    if (sum_before > 0 && sum_after > 0)
      most = std::max(most, factor_between(sum_before, sum_after));
  }
  return most;
}

Verdict verdict_of(const Record& record) {
  const double reached = efficiency(record);
  if (reached > kAboveBound) return Verdict::above;
  return reached < record.expected->low_below ? Verdict::low : Verdict::ok;
}

}  // namespace linerate
