#include "record/verdict.h"

#include <fmt/format.h>

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

double slowest_busbw_gbps(const Record& record) {
  const auto& window = record.window;
  if (window.slowest_us <= 0) return record.busbw_gbps;
  return record.busbw_gbps * window.time_us / window.slowest_us;
}

double efficiency(const Record& record) {
  assert(record.expected);
  const double expected = record.expected->busbw_gbps;
  return expected > 0 ? slowest_busbw_gbps(record) / expected : 0;
}

Verdict verdict_of(const Record& record) {
  const double reached = efficiency(record);
  if (reached > kAboveBound) return Verdict::above;
  return reached < record.expected->low_below ? Verdict::low : Verdict::ok;
}

std::string reached_text(const Record& record) {
  const bool in_place = record.what.placement == Placement::in_place;
  auto what = record.pair ? fmt::format("{}, {} B, rank {} to rank {}", record.what.collective,
                                        record.what.bytes, record.pair->first, record.pair->second)
                          : fmt::format("{} B, {}", record.what.bytes,
                                        in_place ? "in place" : "out of place");
  return fmt::format("{}: {:.4g} of {:.4g} GB/s ({:.2f}), bound by {}", what,
                     slowest_busbw_gbps(record), record.expected->busbw_gbps, efficiency(record),
                     record.expected->bound_by);
}

const Finding* find_finding(std::span<const Finding> findings, std::string_view rule) {
  const auto found = std::ranges::find(findings, rule, &Finding::rule);
  return found == findings.end() ? nullptr : &*found;
}

}  // namespace linerate
