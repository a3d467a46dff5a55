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

double memory_change(std::span<const MemoryPoint> before, std::span<const MemoryPoint> after) {
  double most = 1;
  for (const auto& was : before)
    for (const auto& is : after)
      if (was.bytes == is.bytes && was.nranks == is.nranks)
        for (const auto gbps : {&MemoryPoint::read_gbps, &MemoryPoint::write_gbps,
                                &MemoryPoint::copy_gbps, &MemoryPoint::update_gbps})
          most = std::max({most, was.*gbps / is.*gbps, is.*gbps / was.*gbps});
  return most;
}

Verdict verdict_of(const Record& record) {
  const double reached = efficiency(record);
  if (reached > kAboveBound) return Verdict::above;
  return reached < record.expected->low_below ? Verdict::low : Verdict::ok;
}

}  // namespace linerate
